using System.ComponentModel;
using ModelContextProtocol.Protocol;
using ModelContextProtocol.Server;
using System.Diagnostics;

namespace Fixes;

[McpServerToolType]
public static class TellTheExitStatus
{
    // the fix:
    [McpServerTool(Name = "bash"), Description("Runs a shell command")]
    public static async Task<string> Bash(string command, CancellationToken cancelled)
    {
        var start = new ProcessStartInfo("bash", ["-c", command]) { RedirectStandardOutput = true, RedirectStandardInput = true };
        using var process = Process.Start(start)!;
        var output = await process.StandardOutput.ReadToEndAsync(cancelled);
        await process.WaitForExitAsync(cancelled);
        return $"{output}\nexit status {process.ExitCode}";
    }
    // the end of the fix
}
