// A file that cannot be read: told in words of one's own, or in those of Node.js.
import { readFile } from "node:fs/promises";
import { z } from "zod";

const options = { description: "Reads a note", inputSchema: { path: z.string() }, annotations: { readOnlyHint: true } };

export function faulty(server) {
  server.registerTool("read_file", options, async ({ path }) => {
    return { content: [{ type: "text", text: await readFile(path, "utf8") }] };
  });
}

export function fixed(server) {
  // the fix:
  const causes = { ENOENT: "does not exist", EISDIR: "is a folder", EACCES: "may not be read" };

  server.registerTool("read_file", options, async ({ path }) => {
    try {
      return { content: [{ type: "text", text: await readFile(path, "utf8") }] };
    } catch (error) {
      console.error("read_file", error); // whole, for the log
      const cause = causes[error.code] ?? "cannot be read";
      const text = `'${path}' ${cause}. List its folder to see which files there are.`;
      return { isError: true, content: [{ type: "text", text }] };
    }
  });
  // the end of the fix
}
