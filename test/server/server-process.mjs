// A server in a process of its own, for tests that kill it: `server-process.mjs DATA PORT [OPTIONS]`, with more of the
// server's options as JSON. It says in one line, on standard output, where it listens, and ends when it is asked to or its
// parent is gone.
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
