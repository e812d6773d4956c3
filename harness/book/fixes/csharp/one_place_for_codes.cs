using System.ComponentModel;
using ModelContextProtocol.Protocol;
using ModelContextProtocol.Server;

namespace Fixes;

[McpServerToolType]
public static class OnePlaceForCodes
{
    // the fix:
    private static class Codes
    {
        public const string NotFound = "PATH_NOT_FOUND";
        public const string Input = "INVALID_INPUT";
    }

    private static CallToolResult Refuse(string code, string message) =>
        new() { IsError = true, Content = [new TextContentBlock { Text = $"[{code}] {message}" }] };

    [McpServerTool(Name = "read_file", ReadOnly = true), Description("Reads a note")]
    public static CallToolResult ReadFile(string path) => File.Exists(path)
        ? new() { Content = [new TextContentBlock { Text = File.ReadAllText(path) }] }
        : Refuse(Codes.NotFound, $"There is no file '{path}'. List its folder.");
    // the end of the fix
}
