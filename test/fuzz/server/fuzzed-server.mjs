// Control plane in a process of its own, for the fuzzer: `fuzzed-server.mjs DATA plain|tls`, with `idle` for one
// without controllers. Every line on standard error is a fault.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { join } from "node:path";
import { readFileSync } from "node:fs";
import { controlPlane, openSqliteStore } from "../../../dist/index.js";
import { controllers } from "./controllers.mjs";

const [data, transport, work] = process.argv.slice(2);
// Short history, so that many revisions are compacted during a test.
const store = await openSqliteStore(join(data, "store"), { retention: { count: 1000, every: "1s" } });
const plane = await controlPlane({
  controllers: work === "idle" ? [] : controllers,
  forceDefinitions: true,
  store,
  data,
  listen: {
    port: 0,
    tls: transport === "tls",
    limits: {
      // Short timeouts, so that silent clients reach them during a test.
      headersTimeout: 4000,
      receiveTimeout: 5000,
      requestTimeout: 40_000,
      // Low limits, which a burst exceeds and the workers' requests do not.
      readOnly: 60,
      mutating: 20,
      watches: 40,
      queuedPerUser: 20,
    },
  },
  log: { debug() {}, info() {}, warn: complain, error: complain, child: (fields) => childLog(fields) },
});

function childLog(fields) {
  const tell = (more, text) => complain({ ...fields, ...more }, text);
  return {
    debug() {},
    info() {},
    warn: tell,
    error: tell,
    child: (more) => childLog({ ...fields, ...more }),
  };
}

/** Failed runs are logged without an error, since they are expected. */
function complain(fields, text) {
  const { err } = fields;
  if (err === undefined) return;
  // A kind whose rules reject stored objects also rejects writes of the garbage collector, here as in Kubernetes.
  if (err?.code === 422) return;
  // Definitions and namespaces are deleted, together with the objects that controllers watch or write.
  if (("kind" in fields || "controller" in fields) && err?.code < 500) return;
  console.error(text, err);
}

const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();

async function end() {
  await plane.stop();
  await store.close();
  process.exit(0);
}

const answers = {
  /** Memory in use after garbage collection. */
  async memory() {
    globalThis.gc();
    // Memory freed by finalizers is collected the second time.
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc();
    const longest = delay.max / 1e6;
    delay.reset();
    return { ...process.memoryUsage(), longest };
  },
  /** Compacts all revisions but the newest. */
  async compact() {
    await store.compact((await store.status()).revision);
  },
  /** Resolves when all controllers are idle. */
  async rest() {
    await plane.controllers.stop();
    await plane.api.idle();
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
const token = readFileSync(join(data, "auth", "admin-token"), "utf8").trim();
process.send({ id: 0, value: { url: plane.url, token, ca } });
