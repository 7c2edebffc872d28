// A control plane in a process of its own, for what is sent to it without mercy: `fuzzed-server.mjs DATA plain|tls`, and
// `idle` for one without controllers. Everything on standard error is something that it was not prepared for.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { join } from "node:path";
import { readFileSync } from "node:fs";
import { controlPlane, openSqliteStore } from "../../../dist/index.js";
import { controllers } from "./controllers.mjs";

const [data, transport, work] = process.argv.slice(2);
// History is short, so that much of what clients remember is forgotten while a test runs.
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
      // Shorter than anybody would want them, so that clients who send nothing are met with while a test runs.
      headersTimeout: 4000,
      receiveTimeout: 5000,
      requestTimeout: 40_000,
      // So few that a burst is too much; what the workers ask for one after the other is not.
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

/** Runs that fail are told without an error: they are meant to. */
function complain(fields, text) {
  const { err } = fields;
  if (err === undefined) return;
  // A kind whose rules refuse what is stored already refuses the garbage collector as well, here as in Kubernetes.
  if (err?.code === 422) return;
  // Definitions and namespaces go, and what controllers watch or write there goes with them.
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
  /** Forgets all of the past: every revision but the newest. */
  async compact() {
    await store.compact((await store.status()).revision);
  },
  /** Nobody writes any more. */
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
