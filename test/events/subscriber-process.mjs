// Control plane that changes objects and records the events of a durable subscription, for tests that kill it:
// `subscriber-process.mjs OPTIONS`, with options in JSON. Every object counts up to `changes`; a new process goes on where the last one
// was killed. Prints "done" when all events have been handled, and ends when its parent has exited.
import { appendFileSync } from "node:fs";
import { z } from "zod";
import { controlPlane, resource } from "../../dist/index.js";
import { subscription } from "../../dist/events/index.js";

const { data, journal, objects, changes } = JSON.parse(process.argv[2]);
process.stdin.on("end", () => process.exit(1)).resume();

const Counter = resource("demo.dev/v1", "Counter", { spec: z.object({ count: z.int() }) });

const recorder = subscription({
  name: "recorder",
  on: "dev.demo.counter.*",
  durable: true,
  async handle({ objectname, type, resync, data: { object } }) {
    // Handlers of different objects overlap.
    await new Promise(setImmediate);
    appendFileSync(journal, `${objectname} ${object.spec.count} ${type} ${resync ?? false}\n`);
  },
});

const plane = await controlPlane({ data, listen: false, kinds: [Counter], subscriptions: [recorder] });
const { client, events } = plane;
process.stdout.write("started\n");

async function countUp(name) {
  let counter = await client.get(Counter, name).catch(() => undefined);
  counter ??= await client.create(Counter, { metadata: { name }, spec: { count: 1 } });
  while (counter.spec.count < changes)
    counter = await client.update(Counter, { ...counter, spec: { count: counter.spec.count + 1 } });
}

await Promise.all(Array.from({ length: objects }, (_, index) => countUp(`counter-${index}`)));
for (;;) {
  const [state] = events.subscriptions();
  if (state.state === "running" && state.waiting === 0 && state.lag === 0) break;
  await new Promise((resolve) => setTimeout(resolve, 20));
}
process.stdout.write("done\n");
await plane.stop();
process.exit(0);
