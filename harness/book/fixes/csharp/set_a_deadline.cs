using System.ComponentModel;
using ModelContextProtocol.Protocol;
using ModelContextProtocol.Server;

namespace Fixes;

[McpServerToolType]
public static class SetADeadline
{
    // the fix:
    private static CallToolResult Said(string text, bool isError = false) =>
        new() { IsError = isError, Content = [new TextContentBlock { Text = text }] };

    [McpServerTool(Name = "read_file", ReadOnly = true), Description("Reads a note")]
    public static async Task<CallToolResult> ReadFile(string path, HttpClient store, CancellationToken cancelled)
    {
        using var deadline = CancellationTokenSource.CreateLinkedTokenSource(cancelled);
        deadline.CancelAfter(TimeSpan.FromSeconds(0.8));
        try
        {
            return Said(await store.GetStringAsync(path, deadline.Token));
        }
        catch (OperationCanceledException) when (!cancelled.IsCancellationRequested)
        {
            return Said($"The store did not answer for '{path}' within 0.8 s. Check the path, or try again later.", isError: true);
        }
    }
    // the end of the fix
}
