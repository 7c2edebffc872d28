// Server in a process of its own, for tests that kill it: `server-process.mjs DATA PORT [OPTIONS]`, with further
// options of the server as JSON, and those of the store as `storeOptions`. It prints its URL on one line, and ends when its parent sends a message or has exited.
import { join } from "node:path";
import { startServer } from "fettle/server";
import { openSqliteStore } from "fettle/store";

const [data, port, options = "{}"] = process.argv.slice(2);
const { storeOptions, ...serverOptions } = JSON.parse(options);
const store = await openSqliteStore(join(data, "store"), storeOptions);
const server = await startServer({
  store,
  data,
  port: Number(port),
  ...serverOptions,
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
