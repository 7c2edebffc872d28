import type { KubeObject } from "../../model/core.js";
import { type Command } from "../command/command.js";
import { listOption, connectionOptions } from "../command/options.js";
import { servedKindOf } from "../objects/find-kind.js";
import { inOrder } from "../manifests/apply-manifest.js";
import { fileOptions, readManifests } from "../manifests/read-manifests.js";
import { startProgress } from "../terminal/progress.js";
import { isChange, isProblem, planText } from "./plan/plan-text.js";
import { valueFormatOf, valueOption, printValue } from "../output/value-output.js";
import { connect, type ServerConnection } from "../server/connect.js";
import type { ServedKind } from "../server/served-kinds.js";

export const command: Command = {
  arguments: "[file...]",
  description:
    "Preview an apply: how the objects would change, which objects their controllers would create, change and delete, which steps would run, and the outcome. Nothing is changed.",
  options: [
    ...connectionOptions,
    ...fileOptions,
    {
      flags: "--exit-code",
      summary: "exit with 0 if nothing would change, 1 on errors and 2 if something would change",
    },
    valueOption,
  ],
  examples: [
    ["fettle plan -f site.yaml", "preview one manifest"],
    ["fettle plan -f manifests/ --exit-code", "for scripts"],
  ],
  // A script must be able to tell a wrong option from a change.
  usageCode: 1,
  async run(words, options, terminal) {
    const format = valueFormatOf(options);
    const files = [...listOption(options, "filename"), ...words];
    const found = inOrder(await readManifests(files, { recursive: options["recursive"] === true, terminal }));
    await using server = await connect(options, terminal);
    const kinds = await server.kinds();
    const manifests = found.map(({ manifest }) => withNamespace(manifest as KubeObject, kinds, server));
    using progress = startProgress(terminal);
    progress.show(`planning ${manifests.length} ${manifests.length === 1 ? "manifest" : "manifests"}`);
    const planned = await server.plane.plan({ manifests });
    progress.clear();
    const { plans } = planned;
    await printValue(terminal, format, planned, () => planText(plans, found, terminal.colors));
    if (plans.some(isProblem)) return 1;
    return options["exitCode"] === true && plans.some(isChange) ? 2 : 0;
  },
};

/** Adds the namespace of the options, which the server does not know, to a manifest of a namespaced kind without one. */
function withNamespace(
  manifest: KubeObject,
  kinds: readonly ServedKind[],
  { namespace }: ServerConnection,
): KubeObject {
  const isNamespaced = servedKindOf(kinds, manifest)?.scope === "Namespaced";
  if (!isNamespaced || manifest.metadata.namespace !== undefined) return manifest;
  return { ...manifest, metadata: { ...manifest.metadata, namespace } };
}
