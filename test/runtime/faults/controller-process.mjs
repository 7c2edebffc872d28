// Controller in a process of its own, for tests that kill it: `controller-process.mjs OPTIONS`, with options in JSON.
// It does the same as `sites.ts`, appends every effect to a file, and reports on stdout that it is ready and each
// effect. It ends when its parent sends a message, or when the parent has exited.
import { appendFileSync } from "node:fs";
import { z } from "zod";
import { createClient, httpTransport, loadConnection } from "../../../dist/client/index.js";
import { resource } from "../../../dist/model/index.js";
import { controller, startControllers } from "../../../dist/runtime/index.js";

const { kubeconfig, effects, who, takes, leaderElection, sharding } = JSON.parse(process.argv[2]);

const Site = resource("demo.dev/v1", "Site", {
  spec: z.object({ title: z.string(), pages: z.int().min(0) }),
  status: z.object({ published: z.int().optional(), visits: z.int().optional() }),
});
const Page = resource("demo.dev/v1", "Page", { spec: z.object({ html: z.string() }) });

async function effect(what, { metadata: { name, uid }, spec }, signal) {
  const note = (phase) => {
    const at = performance.timeOrigin + performance.now();
    const text = `${spec.title} × ${spec.pages}`;
    appendFileSync(effects, `${JSON.stringify({ at, who, what, phase, name, uid, text })}\n`);
    process.stdout.write("effect\n");
  };
  note("start");
  try {
    await new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, takes);
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    });
  } catch (error) {
    note("cut");
    throw error;
  }
  note("end");
}

const sites = controller({
  for: Site,
  owns: [Page],
  backoff: { max: "1s" },
  async reconcile(site, { ensure, step, report, ready }) {
    for (let page = 1; page <= site.spec.pages; page++) {
      ensure(Page, `${site.name}-${page}`, { html: `<h1>${site.spec.title} ${page}</h1>` });
    }
    await step("publish", (signal) => effect("publish", site, signal));
    report({ published: site.spec.pages });
    ready("Published");
  },
  cleanup: (site, { step }) => step("unpublish", (signal) => effect("unpublish", site, signal)),
});

const connection = await loadConnection({ kubeconfig });
const client = createClient({ transport: httpTransport({ connection, rate: sharding ? false : undefined }) });
const controllers = startControllers({
  controllers: [sites],
  client,
  leaderElection,
  sharding,
  observer: sharding && observer(),
  grace: "1s",
});

/** Records the start and end of runs, including their writes. */
function observer() {
  const note = (phase, key) => {
    const at = performance.timeOrigin + performance.now();
    const name = key.slice(key.indexOf("/") + 1);
    appendFileSync(effects, `${JSON.stringify({ at, who, what: "run", phase, name, uid: "", text: "" })}\n`);
  };
  return { started: ({ key }) => note("start", key), ended: ({ key }) => note("end", key) };
}

async function end() {
  await controllers.stop();
  await client[Symbol.asyncDispose]();
  process.exit(0);
}
process.once("SIGTERM", () => void end());
process.stdin.once("end", () => process.exit(1)).resume();

await controllers.ready();
process.stdout.write("ready\n");
