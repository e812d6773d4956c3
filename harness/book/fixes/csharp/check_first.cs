using System.ComponentModel;
using ModelContextProtocol.Protocol;
using ModelContextProtocol.Server;

namespace Fixes;

[McpServerToolType]
public static class CheckFirst
{
    // the fix:
    private static CallToolResult Said(string text, bool isError = false) =>
        new() { IsError = isError, Content = [new TextContentBlock { Text = text }] };

    [McpServerTool(Name = "str_replace"), Description("Replaces a text in a file")]
    public static CallToolResult Replace(string path, string old_str, string new_str)
    {
        if (old_str == "") return Said("'old_str' is empty. Send the text to replace.", isError: true);
        if (!File.Exists(path)) return Said($"There is no file '{path}'.", isError: true);
        var text = File.ReadAllText(path);
        var found = text.Split(old_str).Length - 1;
        if (found != 1)
        {
            var advice = found == 0 ? "Read the file again." : "Send more of the lines around it.";
            return Said($"'{old_str}' occurs {found} times in '{path}'; it must occur once. {advice}", isError: true);
        }
        File.WriteAllText(path, text.Replace(old_str, new_str));
        return Said("Replaced.");
    }
    // the end of the fix
}
