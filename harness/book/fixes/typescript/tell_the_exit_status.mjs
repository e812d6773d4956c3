// A command that fails: with its status, or without.
import { execFile } from "node:child_process";
import { z } from "zod";

const options = { description: "Runs a shell command", inputSchema: { command: z.string() } };

export function faulty(server) {
  server.registerTool("bash", options, ({ command }) => new Promise((answer) => {
    execFile("bash", ["-c", command], (error, stdout, stderr) => {
      answer({ content: [{ type: "text", text: `Output:\n${stdout}${stderr}` }] });
    });
  }));
}

export function fixed(server) {
  // the fix:
  server.registerTool("bash", options, ({ command }) => new Promise((answer) => {
    execFile("bash", ["-c", command], (error, stdout, stderr) => {
      const ended = error?.signal ? `killed by ${error.signal}` : `exit status ${error?.code ?? 0}`;
      answer({ content: [{ type: "text", text: `${stdout}${stderr}\n${ended}` }] });
    });
  }));
  // the end of the fix
}
