using System.ComponentModel;
using ModelContextProtocol.Protocol;
using ModelContextProtocol.Server;
using Microsoft.Extensions.Logging;

namespace Fixes;

[McpServerToolType]
public static class TranslateTheException
{
    // the fix:
    private static CallToolResult Said(string text, bool isError = false) =>
        new() { IsError = isError, Content = [new TextContentBlock { Text = text }] };

    [McpServerTool(Name = "read_file", ReadOnly = true), Description("Reads a note")]
    public static CallToolResult ReadFile(string path, ILogger<McpServer> log)
    {
        try
        {
            return Said(File.ReadAllText(path));
        }
        catch (IOException error)
        {
            log.LogWarning(error, "read_file {Path}", path); // whole; to standard error, as the host is set up
            var cause = error is FileNotFoundException or DirectoryNotFoundException ? "does not exist" : "cannot be read";
            return Said($"'{path}' {cause}. List its folder to see which files there are.", isError: true);
        }
    }
    // the end of the fix
}
