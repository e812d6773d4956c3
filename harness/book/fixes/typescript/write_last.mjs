// A text to replace that is not there: the file as it was, or emptied.
import { open, readFile, rename, writeFile } from "node:fs/promises";
import { z } from "zod";

const inputSchema = { path: z.string(), old_str: z.string(), new_str: z.string() };
const options = { description: "Replaces a text in a file", inputSchema };

const refusal = (text) => ({ isError: true, content: [{ type: "text", text }] });

export function faulty(server) {
  server.registerTool("str_replace", options, async ({ path, old_str, new_str }) => {
    const text = await readFile(path, "utf8");
    const file = await open(path, "w");
    try {
      if (text.split(old_str).length !== 2) return refusal(`'${old_str}' must occur once in '${path}'. Read it again.`);
      await file.write(text.replace(old_str, () => new_str));
      return { content: [{ type: "text", text: "Replaced." }] };
    } finally {
      await file.close();
    }
  });
}

export function fixed(server) {
  // the fix:
  server.registerTool("str_replace", options, async ({ path, old_str, new_str }) => {
    const text = await readFile(path, "utf8");
    if (text.split(old_str).length !== 2) return refusal(`'${old_str}' must occur once in '${path}'. Read it again.`);
    await writeFile(`${path}.new`, text.replace(old_str, () => new_str));
    await rename(`${path}.new`, path);
    return { content: [{ type: "text", text: "Replaced." }] };
  });
  // the end of the fix
}
