#!/usr/bin/env node
// Runs the program from the package of this platform, which npm installed beside this one.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

const name = `mcp-errconf-${process.platform}-${process.arch}`;

function program() {
  try {
    return require.resolve(`${name}/bin/mcp-errconf${process.platform === "win32" ? ".exe" : ""}`);
  } catch {
    console.error(
      `mcp-errconf: the package \`${name}\` is not installed. Either there is none for this platform, or optional\n` +
        "dependencies were left out (`--omit=optional`, `--no-optional`): install again with them, or build from source\n" +
        "with `cargo install --locked mcp-errconf`.",
    );
    process.exit(70);
  }
}

const child = spawn(program(), process.argv.slice(2), { stdio: "inherit" });
// Whoever ends this process means the program, which has a server to end and files to delete first. What the terminal
// sends reaches it anyway: it only must not end this process before.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => signal !== "SIGINT" && child.kill(signal));
}
child.on("error", (error) => {
  console.error(`mcp-errconf: the program could not be started: ${error.message}`);
  process.exit(70);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
