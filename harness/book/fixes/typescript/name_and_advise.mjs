// A file that is not there: which, and what now, or "Invalid request".
import { readFile } from "node:fs/promises";
import { z } from "zod";

const options = { description: "Reads a note", inputSchema: { path: z.string() }, annotations: { readOnlyHint: true } };

export function faulty(server) {
  server.registerTool("read_file", options, async ({ path }) => {
    const note = await readFile(path, "utf8").catch(() => undefined);
    if (note === undefined) return { isError: true, content: [{ type: "text", text: "Invalid request." }] };
    return { content: [{ type: "text", text: note }] };
  });
}

export function fixed(server) {
  // the fix:
  server.registerTool("read_file", options, async ({ path }) => {
    const note = await readFile(path, "utf8").catch(() => undefined);
    if (note === undefined) {
      const text = `No file has the 'path' '${path}'. Send a path that exists: list its folder to see which do.`;
      return { isError: true, content: [{ type: "text", text }] };
    }
    return { content: [{ type: "text", text: note }] };
  });
  // the end of the fix
}
