// What a service answered: a line of it, or all.
import { readFile } from "node:fs/promises";
import { z } from "zod";

const options = { description: "Reads a note", inputSchema: { path: z.string() }, annotations: { readOnlyHint: true } };

const answer = `<html><body>${"<p>The gateway is sorry.</p>\n".repeat(900)}</body></html>`;

export function faulty(server) {
  server.registerTool("read_file", options, async ({ path }) => {
    const note = await readFile(path, "utf8").catch(() => undefined);
    if (note !== undefined) return { content: [{ type: "text", text: note }] };
    const text = `No note at '${path}'. The store answered: ${answer} List its folder.`;
    return { isError: true, content: [{ type: "text", text }] };
  });
}

export function fixed(server) {
  // the fix:
  const inShort = (text) => text.replace(/<[^>]*>/g, " ").replace(/[\p{C}\s]+/gu, " ").trim().slice(0, 120);

  server.registerTool("read_file", options, async ({ path }) => {
    const note = await readFile(path, "utf8").catch(() => undefined);
    if (note !== undefined) return { content: [{ type: "text", text: note }] };
    console.error("the store answered", answer); // whole, for the log
    const text = `No note at '${path}'. The store answered: "${inShort(answer)}". List its folder.`;
    return { isError: true, content: [{ type: "text", text }] };
  });
  // the end of the fix
}
