import type { KubeObject } from "../../model/core.js";
import { connectionOptions, type Command, type OptionValues, type Terminal } from "../command.js";
import { connectWithKinds, listOption, type Served } from "../kinds/asked.js";
import { kindOf } from "../kinds/find-kind.js";
import { managementClient } from "../management-client.js";
import { inOrder } from "../manifests/apply-manifest.js";
import { fileOptions, readManifests } from "../manifests/read-manifests.js";
import { startProgress } from "../output/progress.js";
import { isChange, isProblem, planText } from "../understand/plan-text.js";
import { valueFormatOf, valueOption, valueText } from "../understand/value-output.js";

export const command: Command = {
  arguments: "[file...]",
  description:
    "Preview an apply: how the objects would change, which objects their controllers would create, change and delete, which steps would run, and the outcome. Nothing is changed.",
  options: [
    ...connectionOptions,
    ...fileOptions,
    { flags: "--exit-code", summary: "exit with 1 if anything would change" },
    valueOption,
  ],
  examples: [
    ["fettle plan -f site.yaml", "preview one manifest"],
    ["fettle plan -f manifests/ --exit-code", "for scripts"],
  ],
  run: plan,
};

async function plan(words: readonly string[], options: OptionValues, terminal: Terminal): Promise<number> {
  const format = valueFormatOf(options);
  const files = [...listOption(options, "filename"), ...words];
  const found = inOrder(await readManifests(files, { recursive: options["recursive"] === true, terminal }));
  await using server = await connectWithKinds(options, terminal);
  const manifests = found.map(({ manifest }) => placed(manifest as KubeObject, server));
  using progress = startProgress(terminal);
  progress.say(`planning ${manifests.length} ${manifests.length === 1 ? "manifest" : "manifests"}`);
  const answer = await managementClient(server, terminal.signal).plan({ manifests });
  progress.clear();
  terminal.stdout.write(
    format === undefined ? planText(answer.plans, found, terminal.colors) : await valueText(answer, format),
  );
  if (answer.plans.some(isProblem)) return 1;
  return options["exitCode"] === true && answer.plans.some(isChange) ? 1 : 0;
}

/** With its namespace: the server knows its own, and not the one that is meant here. */
function placed(manifest: KubeObject, { kinds, namespace }: Served): KubeObject {
  const isPlaced = manifest.metadata.namespace !== undefined || kindOf(kinds, manifest)?.scope === "Cluster";
  if (isPlaced || kindOf(kinds, manifest) === undefined) return manifest;
  return { ...manifest, metadata: { ...manifest.metadata, namespace } };
}
