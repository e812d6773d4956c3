using System.ComponentModel;
using ModelContextProtocol.Protocol;
using ModelContextProtocol.Server;
using System.Text.RegularExpressions;

namespace Fixes;

[McpServerToolType]
public static class BoundTheText
{
    // the fix:
    private static string InShort(string text)
    {
        var plain = Regex.Replace(Regex.Replace(text, "<[^>]*>", " "), @"[\p{C}\s]+", " ").Trim();
        return plain.Length <= 120 ? plain : plain[..120];
    }

    private static CallToolResult StoreFailed(string path, string answer)
    {
        Console.Error.WriteLine($"the store answered {answer}"); // whole, for the log
        var text = $"No note at '{path}'. The store answered: \"{InShort(answer)}\". List its folder.";
        return new() { IsError = true, Content = [new TextContentBlock { Text = text }] };
    }
    // the end of the fix
}
