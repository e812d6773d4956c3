using System.ComponentModel;
using ModelContextProtocol.Protocol;
using ModelContextProtocol.Server;

namespace Fixes;

[McpServerToolType]
public static class ResolveThenCompare
{
    // the fix:
    private static readonly string Root = Path.GetFullPath(Environment.GetCommandLineArgs()[1]);

    private static CallToolResult Said(string text, bool isError = false) =>
        new() { IsError = isError, Content = [new TextContentBlock { Text = text }] };

    [McpServerTool(Name = "read_file", ReadOnly = true), Description("Reads a note")]
    public static CallToolResult ReadFile(string path)
    {
        var full = Path.GetFullPath(path, Root); // without `..`
        // A link is followed to its end; a folder on the way that is a link needs the same.
        var real = File.ResolveLinkTarget(full, returnFinalTarget: true)?.FullName ?? full;
        if (!real.StartsWith(Root + Path.DirectorySeparatorChar, StringComparison.Ordinal))
        {
            return Said($"'{path}' is outside '{Root}'. Use a path in it.", isError: true);
        }
        return Said(File.ReadAllText(real));
    }
    // the end of the fix
}
