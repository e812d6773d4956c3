using System.ComponentModel;
using ModelContextProtocol.Protocol;
using ModelContextProtocol.Server;

namespace Fixes;

[McpServerToolType]
public static class WriteLast
{
    // the fix:
    private static CallToolResult Said(string text, bool isError = false) =>
        new() { IsError = isError, Content = [new TextContentBlock { Text = text }] };

    [McpServerTool(Name = "str_replace"), Description("Replaces a text in a file")]
    public static CallToolResult Replace(string path, string old_str, string new_str)
    {
        var text = File.ReadAllText(path);
        if (text.Split(old_str).Length != 2)
        {
            return Said($"'{old_str}' must occur once in '{path}'. Read it again.", isError: true);
        }
        File.WriteAllText($"{path}.new", text.Replace(old_str, new_str));
        File.Move($"{path}.new", path, overwrite: true);
        return Said("Replaced.");
    }
    // the end of the fix
}
