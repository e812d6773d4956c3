// `server.mjs FIX faulty|fixed ROOT`: a server with the tools of one file, with the fault or with the lines that fix it. Where no
// file of that name lies here, the lines for version 1 of the SDK are run.
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const [, , fix, which, root] = process.argv;
const tools = await import(`./${fix}.mjs`);
const server = new McpServer({ name: "notes", version: "1.0.0" });
tools[which](server, root);
await server.connect(new StdioServerTransport());
