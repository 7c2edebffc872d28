import type { KindNames } from "./kind-names.js";

/** The kind that a new project starts with: small, and yet with a default, a child, a status and a condition. */
export function greetingFiles({ group }: Pick<KindNames, "group">): Readonly<Record<string, string>> {
  return {
    "src/greeting.ts": `import { controller, resource } from "fettle";
import { ConfigMap } from "fettle/kubernetes";
import { z } from "zod";

/** Somebody to greet. */
export const Greeting = resource("${group}/v1", "Greeting", {
  spec: z.object({
    name: z.string().min(1),
    politeness: z.enum(["casual", "formal"]).default("casual"),
  }),
  status: z.object({ message: z.string() }),
  columns: [{ name: "Message", path: ".status.message" }],
});

/** Writes every greeting into a ConfigMap of the same name, and keeps it there. */
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

/** A greeting as soon as it says this. */
async function saying(name: string, message: string) {
  for await (const { object } of plane.client.watch(Greeting)) {
    if (object.metadata.name === name && object.status?.message === message) return object;
  }
  throw new Error("the watch ended too early");
}

test("a greeting is written into a ConfigMap", async () => {
  await plane.client.create(Greeting, { metadata: { name: "hello" }, spec: { name: "Ada" } });
  const greeting = await saying("hello", "Hello, Ada!");
  assert.equal(greeting.status?.conditions?.find(({ type }) => type === "Ready")?.status, "True");
  const { data } = await plane.client.get(ConfigMap, "hello");
  assert.deepEqual(data, { message: "Hello, Ada!" });
});

test("a greeting that changes is written anew", async () => {
  await plane.client.create(Greeting, { metadata: { name: "hello" }, spec: { name: "Ada" } });
  await saying("hello", "Hello, Ada!");
  await plane.client.patch(Greeting, "hello", { spec: { politeness: "formal" } });
  await saying("hello", "Good day, Ada.");
});

test("a greeting for nobody is refused", async () => {
  const nobody = plane.client.create(Greeting, { metadata: { name: "hello" }, spec: { name: "" } });
  await assert.rejects(nobody, /spec.name/);
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
