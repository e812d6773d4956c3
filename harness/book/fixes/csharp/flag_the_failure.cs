using System.ComponentModel;
using ModelContextProtocol.Protocol;
using ModelContextProtocol.Server;

namespace Fixes;

[McpServerToolType]
public static class FlagTheFailure
{
    // the fix:
    [McpServerTool(Name = "read_file", ReadOnly = true), Description("Reads a note")]
    public static CallToolResult ReadFile(string path)
    {
        if (!File.Exists(path))
        {
            var text = $"No note at '{path}'. List the folder to see which there are.";
            return new CallToolResult { IsError = true, Content = [new TextContentBlock { Text = text }] };
        }
        return new CallToolResult { Content = [new TextContentBlock { Text = File.ReadAllText(path) }] };
    }
    // the end of the fix
}
