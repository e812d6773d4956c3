// Arguments that do not fit: one sentence for each fault, or what the SDK makes of them.
import { CallToolRequestSchema, ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { tools } from "./notes.mjs";

export function faulty(server) {
  for (const [name, options, run] of tools) server.registerTool(name, options, run);
}

export function fixed(server) {
  // the fix:
  // `CallToolRequestSchema`, `ErrorCode` and `McpError` are from "@modelcontextprotocol/sdk/types.js".
  const registered = new Map();
  const register = (name, options, run) => {
    server.registerTool(name, options, run); // publishes the schema, as before
    registered.set(name, { schema: z.object(options.inputSchema), run }); // a plain shape, not yet an object
  };
  const refusal = (text) => ({ isError: true, content: [{ type: "text", text }] });
  const sentence = ({ path, message }) => `Parameter '${path.join(".")}': ${message}. Correct it.`;

  for (const [name, options, run] of tools) register(name, options, run);

  // After the last tool: in place of the handler that `McpServer` has set.
  server.server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = registered.get(params.name);
    if (!tool) throw new McpError(ErrorCode.InvalidParams, `There is no tool '${params.name}'.`);
    const checked = await tool.schema.safeParseAsync(params.arguments ?? {});
    if (!checked.success) {
      const told = checked.error.issues.map(sentence).join(" ");
      return refusal(`[INVALID_INPUT] ${told}`); // the code, if yours have one
    }
    try {
      return await tool.run(checked.data, extra);
    } catch (error) {
      return refusal(error.message); // as `McpServer` does it
    }
  });
  // the end of the fix
}
