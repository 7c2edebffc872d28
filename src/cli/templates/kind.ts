import type { KindNames } from "./kind-names.js";

/** Files of a further kind of a project, to be filled in. */
export function kindFiles(
  names: KindNames,
  { clusterScoped }: { readonly clusterScoped: boolean },
): Readonly<Record<string, string>> {
  const { kind, controller, variable, file, group } = names;
  const scope = clusterScoped ? `  scope: "Cluster",\n` : "";
  return {
    [`src/${file}.ts`]: `import { controller, resource } from "fettle";
import { z } from "zod";

/** Desired and observed state of a ${kind}. */
export const ${kind} = resource("${group}/v1", "${kind}", {
${scope}  spec: z.object({ size: z.number().int().min(0).default(1) }),
  status: z.object({ size: z.number() }),
  columns: [{ name: "Size", path: ".status.size" }],
});

/** Makes the world match every ${kind}. It runs repeatedly, so it must be idempotent. */
export const ${controller} = controller({
  for: ${kind},
  async reconcile(${variable}, { step, report, ready }) {
    const { size } = ${variable}.spec;
    await step("resize", { timeout: "10s", retries: 3 }, async (_signal) => {
      // Change the outside world here.
    });
    report({ size });
    ready("Resized");
  },
});
`,
    [`src/${file}.test.ts`]: `import assert from "node:assert/strict";
import { test } from "node:test";
import { controlPlane } from "fettle/plane";
import { ${kind}, ${controller} } from "./${file}.ts";

test("a ${kind} becomes ready", async () => {
  const plane = await controlPlane({ controllers: [${controller}], store: "memory", listen: false });
  try {
    await plane.client.create(${kind}, { metadata: { name: "one" }, spec: { size: 3 } });
    for await (const { object } of plane.client.watch(${kind})) {
      const ready = object.status?.conditions?.find(({ type }) => type === "Ready");
      if (ready?.status !== "True") continue;
      assert.equal(object.status?.size, 3);
      break;
    }
  } finally {
    await plane.stop();
  }
});
`,
    [`examples/${file}.yaml`]: `apiVersion: ${group}/v1
kind: ${kind}
metadata:
  name: one
spec:
  size: 3
`,
  };
}
