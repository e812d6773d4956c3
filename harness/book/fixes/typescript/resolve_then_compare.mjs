// A path that leads out of the root: refused, or read.
import { readFile, realpath } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { z } from "zod";

const options = { description: "Reads a note", inputSchema: { path: z.string() }, annotations: { readOnlyHint: true } };
const refusal = (text) => ({ isError: true, content: [{ type: "text", text }] });

export function faulty(server, root) {
  server.registerTool("read_file", options, async ({ path }) => {
    if (!path.startsWith(root)) return refusal(`'${path}' is outside '${root}'. Use a path in it.`);
    return { content: [{ type: "text", text: await readFile(path, "utf8") }] };
  });
}

export function fixed(server, root) {
  // the fix:
  server.registerTool("read_file", options, async ({ path }) => {
    const top = await realpath(root);
    const real = await realpath(resolve(root, path)).catch(() => resolve(root, path));
    if (real !== top && !real.startsWith(top + sep)) {
      return refusal(`'${path}' is outside '${root}'. Use a path in it.`);
    }
    return { content: [{ type: "text", text: await readFile(real, "utf8") }] };
  });
  // the end of the fix
}
