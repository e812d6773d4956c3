// What a client of the TypeScript SDK does with each recorded reply: client.mjs PACKAGE REPLIES COMMAND..., where the
// server is started as COMMAND REPLIES ID. Writes one line of JSON for each reply to standard output.
import { readFileSync } from "node:fs";

const [name, replies, ...command] = process.argv.slice(2);
const split = name === "@modelcontextprotocol/client";
const { Client } = await import(split ? name : `${name}/client/index.js`);
const { StdioClientTransport } = await import(split ? `${name}/stdio` : `${name}/client/stdio.js`);

/** How many milliseconds a reply is waited for, unless its entry names a time in seconds. */
const WAIT = 6000;
const CANCELLED = "not needed";
const AT_ONCE = 8;

/** The calls that ask for a reply, by what the entry names. */
const ASKS = {
    call: (client, options) => client.callTool({ name: "play", arguments: {} }, ...(split ? [options] : [undefined, options])),
    resource: (client, options) => client.readResource({ uri: "city://atlantis" }, options),
    prompt: (client, options) => client.getPrompt({ name: "play" }, options),
    cancelled: (client, options) => {
        const controller = new AbortController();
        setTimeout(() => controller.abort(CANCELLED), 300);
        return ASKS.call(client, { ...options, signal: controller.signal });
    },
};

function failure(error) {
    const words = String(error?.message ?? error);
    if (/timed out/.test(words)) return { did: "waits" };
    if (words.endsWith(CANCELLED)) return { did: "gives up" };
    const { code, data } = error ?? {};
    return { did: "throws", type: error?.constructor?.name, words, code, data };
}

async function observe(entry) {
    const client = new Client({ name: "observer", version: "1" }, { capabilities: {} });
    const told = [];
    client.onerror = (error) => told.push(String(error?.message ?? error));
    const transport = new StdioClientTransport({ command: command[0], args: [...command.slice(1), replies, entry.id], stderr: "ignore" });
    const seen = { id: entry.id };
    try {
        await client.connect(transport);
        await client.listTools();
        const ask = ASKS[entry.ask ?? "call"];
        Object.assign(seen, await ask(client, { timeout: entry.wait ? entry.wait * 1000 : WAIT }).then((result) => ({ did: "passes", result }), failure));
    } catch (error) {
        Object.assign(seen, failure(error), { did: "refuses the list" });
    }
    seen.told = [...told];
    const next = () => client.callTool({ name: "next", arguments: {} }, ...(split ? [{ timeout: WAIT }] : [undefined, { timeout: WAIT }]));
    seen.next = await Promise.resolve().then(next).then((result) => result.content?.[0]?.text ?? "wrong", () => "fails");
    await client.close().catch(() => {});
    return seen;
}

const entries = readFileSync(replies, "utf8").trim().split("\n").map((line) => JSON.parse(line));
const workers = Array.from({ length: AT_ONCE }, async () => {
    for (let entry = entries.shift(); entry; entry = entries.shift()) {
        process.stdout.write(`${JSON.stringify(await observe(entry))}\n`);
    }
});
await Promise.all(workers);
