// `registry.js DIR`: serves the npm packages of a folder as a registry does, on loopback, and prints its address. Reading only.
"use strict";

const { execFileSync } = require("node:child_process");
const { createHash } = require("node:crypto");
const { readdirSync, readFileSync } = require("node:fs");
const { createServer } = require("node:http");
const { join } = require("node:path");

const folder = process.argv[2];
const packages = new Map();
for (const file of readdirSync(folder).filter((name) => name.endsWith(".tgz"))) {
  const manifest = JSON.parse(execFileSync("tar", ["-xzOf", join(folder, file), "package/package.json"]));
  packages.set(manifest.name, { file, manifest, data: readFileSync(join(folder, file)) });
}

const server = createServer((request, response) => {
  const name = decodeURIComponent(request.url.slice(1));
  const archive = [...packages.values()].find((found) => found.file === name);
  if (archive) return response.end(archive.data);
  const found = packages.get(name);
  if (!found) return response.writeHead(404).end("{}");
  const { manifest, file, data } = found;
  const integrity = `sha512-${createHash("sha512").update(data).digest("base64")}`;
  const dist = { integrity, tarball: `http://${request.headers.host}/${file}` };
  const versions = { [manifest.version]: { ...manifest, dist } };
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ name, "dist-tags": { latest: manifest.version }, versions }));
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/`));
