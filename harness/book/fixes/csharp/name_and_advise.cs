using System.ComponentModel;
using ModelContextProtocol.Protocol;
using ModelContextProtocol.Server;

namespace Fixes;

[McpServerToolType]
public static class NameAndAdvise
{
    // the fix:
    private static CallToolResult Said(string text, bool isError = false) =>
        new() { IsError = isError, Content = [new TextContentBlock { Text = text }] };

    [McpServerTool(Name = "read_file", ReadOnly = true), Description("Reads a note")]
    public static CallToolResult ReadFile(string path) => File.Exists(path)
        ? Said(File.ReadAllText(path))
        : Said($"No file has the 'path' '{path}'. Send a path that exists: list its folder to see which do.", isError: true);
    // the end of the fix
}
