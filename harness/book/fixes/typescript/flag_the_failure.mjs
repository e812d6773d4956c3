// A note that is not there: told as an error, or as if it were a note.
import { readFile } from "node:fs/promises";
import { z } from "zod";

const options = { description: "Reads a note", inputSchema: { path: z.string() }, annotations: { readOnlyHint: true } };

export function faulty(server) {
  server.registerTool("read_file", options, async ({ path }) => {
    const text = await readFile(path, "utf8").catch(() => `Error: no note at '${path}'. List the folder.`);
    return { content: [{ type: "text", text }] };
  });
}

export function fixed(server) {
  // the fix:
  server.registerTool("read_file", options, async ({ path }) => {
    const note = await readFile(path, "utf8").catch(() => undefined);
    if (note === undefined) {
      const text = `No note at '${path}'. List the folder to see which there are.`;
      return { isError: true, content: [{ type: "text", text }] };
    }
    return { content: [{ type: "text", text: note }] };
  });
  // the end of the fix
}
