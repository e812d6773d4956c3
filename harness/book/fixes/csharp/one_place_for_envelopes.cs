using System.ComponentModel;
using ModelContextProtocol.Protocol;
using ModelContextProtocol.Server;
using System.Text.Json;

namespace Fixes;

[McpServerToolType]
public static class OnePlaceForEnvelopes
{
    // the fix:
    private sealed record Envelope(
        bool success, string error_code, string message, bool retryable, string[] recovery_hints, string file_path);

    private static CallToolResult Refuse(Envelope error) => new()
    {
        IsError = true,
        Content = [new TextContentBlock { Text = JsonSerializer.Serialize(error) }],
        StructuredContent = JsonSerializer.SerializeToNode(error),
    };

    [McpServerTool(Name = "read_file", ReadOnly = true), Description("Reads a note")]
    public static CallToolResult ReadFile(string path) => File.Exists(path)
        ? new() { Content = [new TextContentBlock { Text = File.ReadAllText(path) }] }
        : Refuse(new(false, "FILE_NOT_FOUND", $"There is no file '{path}'.", true, // another input may work
            ["List the folder of 'path' first."], path));
    // the end of the fix
}
