import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { startServer } from "fettle/server";
import { openSqliteStore } from "fettle/store";

/**
 * A server process to measure: the API server, or a bare `node:http` server that reads each request and responds with a
 * kilobyte.
 *
 *   node server-process.js fettle <data folder> | secure <data folder> | bare
 */
const [kind, data = "."] = process.argv.slice(2);
const started = performance.now();
// Node's own start counts too.
const before = performance.now() + performance.timeOrigin - Number(process.env["SPAWNED"] ?? Date.now());

if (kind === "bare") {
  const answer = Buffer.from(JSON.stringify({ value: "x".repeat(1000) }));
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      response.writeHead(200, { "Content-Type": "application/json", "Content-Length": answer.length });
      response.end(answer);
    });
  });
  // Connections are idle during other measurements.
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    say({ port: typeof address === "object" ? address?.port : 0 });
  });
} else {
  const store = await openSqliteStore(join(data, "store"));
  const secure = kind === "secure";
  const server = await startServer({ store, data, tls: secure });
  say({
    port: Number(new URL(server.url).port),
    token: server.token,
    ca: secure ? readFileSync(join(data, "tls", "ca.crt"), "utf8") : undefined,
    ready: performance.now() - started,
    before,
  });
  process.on("SIGTERM", () => {
    void server
      .close()
      .then(() => store.close())
      .then(() => process.exit(0));
  });
}

// Any message from the parent asks for the usage.
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ rss: process.memoryUsage.rss(), processorTime: user + system });
});

function say(ready: object): void {
  process.send?.(ready);
}
