#!/usr/bin/env node
// Weather, files, arithmetic and units, as an MCP server on standard input and output.
//   node tools.mjs ROOT        with WEATHER_URL for another weather service
import fs from "node:fs/promises";
import path from "node:path";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const root = path.resolve(process.argv[2] ?? ".");
const weatherUrl = process.env.WEATHER_URL ?? "https://weather.example/v1";
const MAX_BYTES = 65536;

const server = new McpServer({ name: "tools", version: "1.4.0" });
const text = (value) => ({ content: [{ type: "text", text: value }] });
const failure = (value) => ({ content: [{ type: "text", text: value }], isError: true });

// Weather

server.registerTool(
  "get_weather",
  {
    description: "Get the forecast for a city",
    inputSchema: {
      city: z.string().describe("The name of the city"),
      days: z.number().int().default(1).describe("How many days, 1 to 7"),
    },
  },
  async ({ city, days }) => {
    if (city.trim() === "") {
      return failure("city is empty"); // site
    }
    if (days < 1 || days > 7) {
      return failure(`days ${days} is out of range. Use a whole number from 1 to 7.`); // site
    }
    let response;
    try {
      response = await fetch(`${weatherUrl}/forecast?city=${encodeURIComponent(city)}&days=${days}`);
    } catch (error) {
      return failure(`Weather service unreachable: ${error.message}`);
    }
    if (response.status === 404) {
      return failure(`City not found: ${city}`); // site
    }
    if (!response.ok) {
      throw new Error(`HTTP ${response.status}`);
    }
    let forecast;
    try {
      forecast = JSON.parse(await response.text());
    } catch {
      return failure("The weather service sent something that is no JSON. Try again later.");
    }
    return text(JSON.stringify(forecast));
  },
);

// Files

function inside(name) {
  const full = path.resolve(root, name);
  if (full !== root && !full.startsWith(root + path.sep)) {
    throw new Error(`Access denied: ${name} is outside the root folder. Use a path below it, for example "notes.txt".`);
  }
  return full;
}

server.registerTool(
  "read_file",
  {
    description: "Read a text file below the root folder",
    inputSchema: { path: z.string().describe("A path relative to the root folder") },
    annotations: { readOnlyHint: true },
  },
  async ({ path: name }) => {
    const full = inside(name);
    let stat;
    try {
      stat = await fs.stat(full);
    } catch (error) {
      throw new Error(`Could not read file: ${error.message}`);
    }
    if (stat.isDirectory()) {
      return failure(`${name} is a directory; list it with list_files`); // site
    }
    if (stat.size > MAX_BYTES) {
      return failure("file too big"); // site
    }
    return text(await fs.readFile(full, "utf8"));
  },
);

server.registerTool(
  "write_file",
  {
    description: "Write a text file below the root folder",
    inputSchema: { path: z.string(), content: z.string(), overwrite: z.boolean().default(false) },
  },
  async ({ path: name, content, overwrite }) => {
    const full = inside(name);
    try {
      await fs.writeFile(full, content, { flag: overwrite ? "w" : "wx" });
    } catch (error) {
      if (error.code === "EEXIST") {
        return text(`Error: ${name} exists already. Set overwrite to true to replace it.`); // site
      }
      throw error;
    }
    return text(`Wrote ${content.length} characters to ${name}`);
  },
);

server.registerTool(
  "list_files",
  {
    description: "List a folder below the root folder",
    inputSchema: { path: z.string().default(".") },
    annotations: { readOnlyHint: true },
  },
  async ({ path: name }) => {
    try {
      const entries = await fs.readdir(inside(name), { withFileTypes: true });
      return text(entries.map((entry) => entry.name + (entry.isDirectory() ? "/" : "")).join("\n"));
    } catch (error) {
      return failure(String(error));
    }
  },
);

// Arithmetic

function evaluate(expression) {
  const tokens = expression.match(/\d+(?:\.\d+)?|[-+*/()]|\S/g) ?? [];
  let at = 0;
  const product = () => {
    let value = unary();
    while (tokens[at] === "*" || tokens[at] === "/") {
      const operator = tokens[at++];
      const right = unary();
      if (operator === "/" && right === 0) {
        throw new Error("division by zero");
      }
      value = operator === "*" ? value * right : value / right;
    }
    return value;
  };
  const sum = () => {
    let value = product();
    while (tokens[at] === "+" || tokens[at] === "-") {
      value = tokens[at++] === "+" ? value + product() : value - product();
    }
    return value;
  };
  const unary = () => {
    const token = tokens[at++];
    if (token === undefined) {
      throw new Error("unexpected end of expression");
    }
    if (token === "-") {
      return -unary();
    }
    if (token === "(") {
      const value = sum();
      if (tokens[at++] !== ")") {
        throw new Error("missing )");
      }
      return value;
    }
    if (!/^\d/.test(token)) {
      throw new Error(`Unexpected "${token}" in expression. Use numbers, + - * / and parentheses.`);
    }
    return Number(token);
  };
  const value = sum();
  if (at < tokens.length) {
    throw new Error(`syntax error near ${tokens[at]}`);
  }
  return value;
}

server.registerTool(
  "calculate",
  {
    description: "Evaluate an arithmetic expression, such as 2 * (3 + 4)",
    inputSchema: { expression: z.string() },
  },
  async ({ expression }) => text(String(evaluate(expression))),
);

// Units

const UNITS = {
  m: ["length", 1], km: ["length", 1000], mi: ["length", 1609.344], ft: ["length", 0.3048],
  g: ["mass", 1], kg: ["mass", 1000], lb: ["mass", 453.59237],
};

server.registerTool(
  "convert_units",
  {
    description: "Convert a length or a mass between units: m, km, mi, ft, g, kg, lb",
    inputSchema: { value: z.number(), from: z.string(), to: z.string() },
  },
  async ({ value, from, to }) => {
    for (const unit of [from, to]) {
      if (!Object.hasOwn(UNITS, unit)) {
        return failure(`unknown unit ${unit}`); // site
      }
    }
    const [kind, factor] = UNITS[from];
    const [otherKind, otherFactor] = UNITS[to];
    if (kind !== otherKind) {
      return failure(`Cannot convert ${from} (${kind}) to ${to} (${otherKind}). Choose two units of one kind.`); // site
    }
    if (value < 0) {
      throw new RangeError("negative value");
    }
    return text(`${value} ${from} = ${(value * factor) / otherFactor} ${to}`);
  },
);

await server.connect(new StdioServerTransport());
