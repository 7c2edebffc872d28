// Server in a process of its own, for tests that kill it: `server-process.mjs DATA PORT [OPTIONS]`, with further
// options of the server as JSON. It prints its URL on one line, and ends when its parent sends a message or has exited.
import { join } from "node:path";
import { startServer } from "fettle/server";
import { openSqliteStore } from "fettle/store";

const [data, port, options = "{}"] = process.argv.slice(2);
const store = await openSqliteStore(join(data, "store"));
const server = await startServer({
  store,
  data,
  port: Number(port),
  ...JSON.parse(options),
  onError: (error, doing) => console.error(doing, error),
});

async function end() {
  await server.close();
  await store.close();
  process.exit(0);
}
process.once("SIGTERM", () => void end());
process.stdin.once("end", () => void end()).resume();

console.log(server.url);
