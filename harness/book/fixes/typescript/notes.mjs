// Six tools with parameters of many kinds, for the fix of what validation reports: what they publish must stay.
import { readFile } from "node:fs/promises";
import { z } from "zod";

const SAID = { alpha: "The first note.", beta: "The second note, about a garden." };
const said = (text) => ({ content: [{ type: "text", text }] });
const about = (description, inputSchema) => ({ description, inputSchema, annotations: { readOnlyHint: true } });

export const tools = [
  ["read_file", about("Reads a note", { path: z.string() }), async ({ path }) => said(await readFile(path, "utf8"))],
  [
    "search_notes",
    about("Finds notes by a text", {
      query: z.string(),
      limit: z.number().int().min(1).max(50).default(10),
      whole_words: z.boolean().optional(),
    }),
    ({ query, limit, whole_words }) => {
      const found = Object.keys(SAID).filter((title) => (whole_words ? SAID[title].split(" ") : SAID[title]).includes(query));
      return said(`${found.slice(0, limit).length} notes: ${found.slice(0, limit).join(", ")}`);
    },
  ],
  [
    "sort_notes",
    about("Lists the titles of all notes in an order", { order: z.enum(["title", "length"]) }),
    ({ order }) => {
      const length = (a, b) => SAID[a].length - SAID[b].length;
      return said(Object.keys(SAID).sort(order === "title" ? undefined : length).join(", "));
    },
  ],
  [
    "average",
    about("The mean of some numbers", { numbers: z.array(z.number()).min(1).max(100) }),
    ({ numbers }) => said(`The mean is ${numbers.reduce((sum, number) => sum + number) / numbers.length}.`),
  ],
  [
    "draft_note",
    about("Shows how a note would look. Nothing is written.", {
      note: z.object({ title: z.string().min(1).max(80), tags: z.array(z.string()).default([]) }),
    }),
    ({ note }) => said(`# ${note.title}\nTags: ${note.tags.join(", ") || "none"}`),
  ],
  [
    "repeat_text",
    about("Repeats a text", { text: z.string(), times: z.number().int().min(1).max(20) }),
    ({ text, times }) => said(text.repeat(times)),
  ],
];
