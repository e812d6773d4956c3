// An argument that is missing: one sentence, or a validator's list.
import { readFile } from "node:fs/promises";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";

export const isLowLevel = true;

const Arguments = z.object({ path: z.string() });
const inputSchema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] };
const tools = [{ name: "read_file", description: "Reads a note", inputSchema, annotations: { readOnlyHint: true } }];

export function faulty(server) {
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const checked = Arguments.safeParse(params.arguments);
    if (!checked.success) return { isError: true, content: [{ type: "text", text: checked.error.message }] };
    return { content: [{ type: "text", text: await readFile(checked.data.path, "utf8") }] };
  });
}

export function fixed(server) {
  // the fix:
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const checked = Arguments.safeParse(params.arguments);
    if (!checked.success) {
      const sentence = ({ path, message }) => `Parameter '${path.join(".")}': ${message}.`;
      const text = `${checked.error.issues.map(sentence).join(" ")} Send {"path": "the file's path"}.`;
      return { isError: true, content: [{ type: "text", text }] };
    }
    return { content: [{ type: "text", text: await readFile(checked.data.path, "utf8") }] };
  });
  // the end of the fix
}
