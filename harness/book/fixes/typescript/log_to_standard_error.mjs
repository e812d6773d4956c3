// A line for the log: on standard error, or between the messages of the protocol.
import { readFile } from "node:fs/promises";
import { z } from "zod";

const options = { description: "Reads a note", inputSchema: { path: z.string() }, annotations: { readOnlyHint: true } };

export function faulty(server) {
  server.registerTool("read_file", options, async ({ path }) => {
    console.log(`reading ${path}`);
    const note = await readFile(path, "utf8").catch(() => undefined);
    const text = note ?? `No note at '${path}'. List its folder to see which there are.`;
    return { isError: note === undefined, content: [{ type: "text", text }] };
  });
}

export function fixed(server) {
  // the fix:
  // At the start, for whatever else writes to the console: what a library logs goes to standard error as well.
  console.log = console.info = console.debug = console.error;

  server.registerTool("read_file", options, async ({ path }) => {
    console.error(`reading ${path}`);
    const note = await readFile(path, "utf8").catch(() => undefined);
    const text = note ?? `No note at '${path}'. List its folder to see which there are.`;
    return { isError: note === undefined, content: [{ type: "text", text }] };
  });
  // the end of the fix
}
