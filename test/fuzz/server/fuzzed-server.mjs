// A server in a process of its own, for what is sent to it without mercy: `fuzzed-server.mjs DATA plain|tls`. Everything on
// standard error is something that it was not prepared for.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { join } from "node:path";
import { readFileSync } from "node:fs";
import { startServer } from "../../../dist/server/server.js";
import { openSqliteStore } from "../../../dist/store/index.js";

const [data, transport] = process.argv.slice(2);
const store = await openSqliteStore(join(data, "store"));
const server = await startServer({
  store,
  data,
  tls: transport === "tls",
  // Shorter than anybody would want them, so that clients who send nothing are met with while a test runs.
  limits: { headersTimeout: 4000, receiveTimeout: 5000, requestTimeout: 40_000, watches: 500 },
  onError(error, doing) {
    // A kind whose rules refuse what is stored already refuses the garbage collector as well, here as in Kubernetes.
    if (error?.code !== 422) console.error(doing, error);
  },
});
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();

async function end() {
  await server.close();
  await store.close();
  process.exit(0);
}

const answers = {
  /** What is really in use: nothing that only waits to be collected. */
  async memory() {
    globalThis.gc();
    // What is freed by finalizers is free the second time.
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc();
    const longest = delay.max / 1e6;
    delay.reset();
    return { ...process.memoryUsage(), longest };
  },
  async idle() {
    await server.api.idle();
  },
  end,
};
process.on("message", ({ id, ask }) => {
  answers[ask]().then(
    (value) => process.send({ id, value }),
    (error) => process.send({ id, error: String(error) }),
  );
});
process.once("disconnect", () => void end());

const ca = transport === "tls" ? readFileSync(join(data, "tls", "ca.crt"), "utf8") : undefined;
process.send({ id: 0, value: { url: server.url, token: server.token, ca } });
