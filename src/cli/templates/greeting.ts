import type { KindNames } from "./kind-names.js";

/** Files of the first kind of a new project: small, but with a default, a child, a status and a condition. */
export function greetingFiles({ group }: Pick<KindNames, "group">): Readonly<Record<string, string>> {
  return {
    "src/greeting.ts": `import { controller, resource } from "fettle";
import { ConfigMap } from "fettle/kubernetes";
import { z } from "zod";

/** A person to greet. */
export const Greeting = resource("${group}/v1", "Greeting", {
  spec: z.object({
    name: z.string().min(1),
    politeness: z.enum(["casual", "formal"]).default("casual"),
  }),
  status: z.object({ message: z.string() }),
  columns: [{ name: "Message", path: ".status.message" }],
});

/** Writes every greeting into a ConfigMap of the same name. */
export const greetings = controller({
  for: Greeting,
  owns: [ConfigMap],
  reconcile(greeting, { ensure, report, ready }) {
    const { name, politeness } = greeting.spec;
    const message = politeness === "formal" ? \`Good day, \${name}.\` : \`Hello, \${name}!\`;
    ensure(ConfigMap, greeting.name, { data: { message } });
    report({ message });
    ready("Greeted");
  },
});
`,
    "src/greeting.test.ts": `import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { ConfigMap } from "fettle/kubernetes";
import { controlPlane, type ControlPlane } from "fettle/plane";
import { Greeting, greetings } from "./greeting.ts";

let plane: ControlPlane;
beforeEach(async () => {
  plane = await controlPlane({ controllers: [greetings], store: "memory", listen: false });
});
afterEach(() => plane.stop());

/** Waits until a greeting has this message in its status. */
async function untilMessage(name: string, message: string) {
  for await (const { object } of plane.client.watch(Greeting)) {
    if (object.metadata.name === name && object.status?.message === message) return object;
  }
  throw new Error("the watch ended before the message was set");
}

test("writes the message into a ConfigMap", async () => {
  await plane.client.create(Greeting, { metadata: { name: "hello" }, spec: { name: "Ada" } });
  const greeting = await untilMessage("hello", "Hello, Ada!");
  assert.equal(greeting.status?.conditions?.find(({ type }) => type === "Ready")?.status, "True");
  const { data } = await plane.client.get(ConfigMap, "hello");
  assert.deepEqual(data, { message: "Hello, Ada!" });
});

test("updates the message when the spec changes", async () => {
  await plane.client.create(Greeting, { metadata: { name: "hello" }, spec: { name: "Ada" } });
  await untilMessage("hello", "Hello, Ada!");
  await plane.client.patch(Greeting, "hello", { spec: { politeness: "formal" } });
  await untilMessage("hello", "Good day, Ada.");
});

test("rejects an empty name", async () => {
  const rejected = plane.client.create(Greeting, { metadata: { name: "hello" }, spec: { name: "" } });
  await assert.rejects(rejected, /spec.name/);
});
`,
    "examples/hello.yaml": `apiVersion: ${group}/v1
kind: Greeting
metadata:
  name: hello
spec:
  name: Ada
`,
  };
}
