// A file that is not there: as the object that the contract wants, or as a text.
import { readFile } from "node:fs/promises";
import { z } from "zod";

const options = { description: "Reads a note", inputSchema: { path: z.string() }, annotations: { readOnlyHint: true } };

export function faulty(server) {
  server.registerTool("read_file", options, async ({ path }) => {
    const note = await readFile(path, "utf8").catch(() => undefined);
    const text = note ?? `There is no file '${path}'.`;
    return { isError: note === undefined, content: [{ type: "text", text }] };
  });
}

export function fixed(server) {
  // the fix:
  const RETRYABLE = new Set(["FILE_NOT_FOUND", "MATCH_NOT_FOUND"]); // where another input may work

  function refuse(error_code, message, file_path, recovery_hints) {
    const retryable = RETRYABLE.has(error_code);
    const error = { success: false, error_code, message, retryable, recovery_hints, file_path };
    return { isError: true, content: [{ type: "text", text: JSON.stringify(error) }], structuredContent: error };
  }

  server.registerTool("read_file", options, async ({ path }) => {
    const note = await readFile(path, "utf8").catch(() => undefined);
    if (note === undefined) {
      return refuse("FILE_NOT_FOUND", `There is no file '${path}'.`, path, ["List the folder of 'path' first."]);
    }
    return { content: [{ type: "text", text: note }] };
  });
  // the end of the fix
}
