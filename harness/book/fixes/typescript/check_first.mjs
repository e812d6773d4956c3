// A text to replace that is there three times: refused, or the first of them changed.
import { readFile, writeFile } from "node:fs/promises";
import { z } from "zod";

const inputSchema = { path: z.string(), old_str: z.string(), new_str: z.string() };
const options = { description: "Replaces a text in a file", inputSchema };

const refusal = (text) => ({ isError: true, content: [{ type: "text", text }] });

export function faulty(server) {
  server.registerTool("str_replace", options, async ({ path, old_str, new_str }) => {
    const text = await readFile(path, "utf8");
    await writeFile(path, text.replace(old_str, () => new_str));
    return { content: [{ type: "text", text: "Replaced." }] };
  });
}

export function fixed(server) {
  // the fix:
  server.registerTool("str_replace", options, async ({ path, old_str, new_str }) => {
    if (old_str === "") return refusal("'old_str' is empty. Send the text to replace.");
    const text = await readFile(path, "utf8");
    const found = text.split(old_str).length - 1;
    if (found !== 1) {
      const advice = found ? "Send more of the lines around it." : "Read the file again.";
      return refusal(`'${old_str}' occurs ${found} times in '${path}'; it must occur once. ${advice}`);
    }
    await writeFile(path, text.replace(old_str, () => new_str));
    return { content: [{ type: "text", text: "Replaced." }] };
  });
  // the end of the fix
}
