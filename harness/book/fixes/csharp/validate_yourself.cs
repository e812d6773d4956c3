using System.ComponentModel;
using ModelContextProtocol.Protocol;
using ModelContextProtocol.Server;
using System.Text.Json;

namespace Fixes;

[McpServerToolType]
public static class ValidateYourself
{
    // the fix:
    private static CallToolResult Said(string text, bool isError = false) =>
        new() { IsError = isError, Content = [new TextContentBlock { Text = text }] };

    [McpServerTool(Name = "read_file", ReadOnly = true), Description("Reads a note")]
    public static CallToolResult ReadFile(JsonElement path = default) => path.ValueKind switch
    {
        JsonValueKind.String => Said(File.ReadAllText(path.GetString()!)),
        JsonValueKind.Undefined => Said("Parameter 'path' is missing. Send {\"path\": \"the file's path\"}.", isError: true),
        _ => Said($"Parameter 'path' must be a string, not {path}. Send the file's path.", isError: true),
    };
    // the end of the fix
}
