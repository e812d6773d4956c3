// `server.mjs FIX faulty|fixed ROOT`: a server with the tools of one file, with the fault or with the lines that fix it.
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";

const [, , fix, which, root] = process.argv;
const tools = await import(`./${fix}.mjs`);
const server = new McpServer({ name: "notes", version: "1.0.0" });
tools[which](server, root);
await server.connect(new StdioServerTransport());
