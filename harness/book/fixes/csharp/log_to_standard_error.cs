using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using ModelContextProtocol.Server;

namespace Fixes;

[McpServerToolType]
public static class LogToStandardError
{
    // the fix:
    public static void Main(string[] args)
    {
        var builder = Host.CreateApplicationBuilder(args);
        // Without this the console's logger writes to standard output.
        builder.Logging.AddConsole(options => options.LogToStandardErrorThreshold = LogLevel.Trace);
        builder.Services.AddMcpServer().WithStdioServerTransport().WithToolsFromAssembly();
        builder.Build().Run();
    }
    // the end of the fix
}
