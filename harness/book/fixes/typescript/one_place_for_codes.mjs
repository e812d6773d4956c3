// A file that is not there: with its code, or without.
import { readFile } from "node:fs/promises";
import { z } from "zod";

const options = { description: "Reads a note", inputSchema: { path: z.string() }, annotations: { readOnlyHint: true } };

export function faulty(server) {
  server.registerTool("read_file", options, async ({ path }) => {
    const note = await readFile(path, "utf8").catch(() => undefined);
    const text = note ?? `There is no file '${path}'. List its folder.`;
    return { isError: note === undefined, content: [{ type: "text", text }] };
  });
}

export function fixed(server) {
  // the fix:
  const CODES = Object.freeze({ notFound: "PATH_NOT_FOUND", input: "INVALID_INPUT" });
  const refuse = (code, message) => ({ isError: true, content: [{ type: "text", text: `[${code}] ${message}` }] });

  server.registerTool("read_file", options, async ({ path }) => {
    const note = await readFile(path, "utf8").catch(() => undefined);
    if (note === undefined) return refuse(CODES.notFound, `There is no file '${path}'. List its folder.`);
    return { content: [{ type: "text", text: note }] };
  });
  // the end of the fix
}
