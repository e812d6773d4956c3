// Loaded before a measured server: writes the coverage every second and at a SIGTERM, since a server may be ended so
// that Node.js writes none by itself.
import v8 from "node:v8";

if (process.env.NODE_V8_COVERAGE) {
  setInterval(() => v8.takeCoverage(), 1000).unref();
  process.once("SIGTERM", () => process.exit(143));
}
