// A store that does not answer: given up after a while, or waited for without end.
import { readFile } from "node:fs/promises";
import { z } from "zod";

const options = { description: "Reads a note", inputSchema: { path: z.string() }, annotations: { readOnlyHint: true } };

// Stands for a store that answers when there is something, and else keeps the caller waiting.
const fetched = (path, signal) => readFile(path, { encoding: "utf8", signal }).catch(() => new Promise((_, reject) => {
  setInterval(() => {}, 1000);
  signal?.addEventListener("abort", () => reject(signal.reason));
}));

export function faulty(server) {
  server.registerTool("read_file", options, async ({ path }) => {
    return { content: [{ type: "text", text: await fetched(path) }] };
  });
}

export function fixed(server) {
  // the fix:
  server.registerTool("read_file", options, async ({ path }) => {
    try {
      return { content: [{ type: "text", text: await fetched(path, AbortSignal.timeout(800)) }] };
    } catch (error) {
      const text = `The store did not answer for '${path}' within 0.8 s. Check the path, or try again later.`;
      return { isError: true, content: [{ type: "text", text }] };
    }
  });
  // the end of the fix
}
