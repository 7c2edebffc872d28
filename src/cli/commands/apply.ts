import type { Client, Manifest } from "../../client/client.js";
import type { UntypedObject } from "../../client/kinds/kind.js";
import { type Command, type OptionValues, type Terminal } from "../command/command.js";
import { connect } from "../server/connect.js";
import { listOption, textOption, connectionOptions } from "../command/options.js";
import { applyManifest, inOrder, manifestTitle, untilServed } from "../manifests/apply-manifest.js";
import { fileOptions, readManifests, type FoundManifest } from "../manifests/read-manifests.js";
import { problemsOf } from "../manifests/refusal.js";
import { formatOf, type Format } from "../output/format.js";
import { printObjects } from "../output/objects.js";
import { startProgress, type Progress } from "../terminal/progress.js";

export const command: Command = {
  arguments: "[file...]",
  description:
    "Create or update objects from manifests by server-side apply: a field that you remove from a manifest is removed from the object, and fields of other managers stay. All manifests are read before the first is applied; CustomResourceDefinitions and Namespaces are applied first.",
  options: [
    ...connectionOptions,
    ...fileOptions,
    { flags: "--dry-run", summary: "validate on the server without changing anything" },
    { flags: "--force", summary: "take ownership of fields of other field managers" },
    { flags: "--field-manager <name>", summary: "field manager", default: "fettle" },
    {
      flags: "-o, --output <format>",
      summary: "output format: name, yaml or json",
      values: ["name", "yaml", "json"],
    },
  ],
  examples: [
    ["fettle apply -f site.yaml", "create or update its objects"],
    ["fettle apply -f manifests -R", "a folder and its subfolders"],
    ["cat site.yaml | fettle apply -f -", "from standard input"],
    ["fettle apply -f site.yaml --dry-run", "validate only"],
  ],
  async run(words, options, terminal) {
    const format = formatOf(options);
    const files = [...listOption(options, "filename"), ...words];
    const found = await readManifests(files, { recursive: options["recursive"] === true, terminal });
    await using server = await connect(options, terminal);
    for (const each of found) refuseOtherNamespace(each, textOption(options, "namespace"));
    using progress = startProgress(terminal);
    const applying: Applying = { client: server.client, options, format, terminal, progress };
    const objects: UntypedObject[] = [];
    let failures = 0;
    for (const [at, { manifest, place }] of inOrder(found).entries()) {
      if (terminal.signal.aborted) {
        progress.clear();
        terminal.stderr.write(`fettle: interrupted; ${at} of ${found.length} manifests were applied\n`);
        return;
      }
      progress.show(`applying ${at + 1} of ${found.length}: ${manifestTitle(manifest)}`);
      try {
        objects.push(await applyOne(applying, manifest));
      } catch (error) {
        if (terminal.signal.aborted) continue;
        progress.clear();
        if (!isRefusal(error)) {
          const problem = error instanceof Error ? error.message : String(error);
          throw new Error(
            `${place()}: ${manifestTitle(manifest)}: ${problem}\n${objects.length} of ${found.length} manifests were applied`,
            { cause: error },
          );
        }
        failures++;
        for (const { field, message } of problemsOf(error)) {
          terminal.stderr.write(`fettle: ${place(field)}: ${manifestTitle(manifest)}: ${message}\n`);
        }
      }
    }
    progress.clear();
    if (format.type === "yaml" || format.type === "json" || format.type === "jsonpath") {
      const printed = { objects, single: found.length === 1, titleOf: manifestTitle };
      terminal.stdout.write(await printObjects(format, printed));
    }
    return failures > 0 ? 1 : 0;
  },
};

/** Milliseconds to wait for a definition to be served; after that, the manifests that need it are applied anyway. */
const definitionTimeout = 30_000;

interface Applying {
  readonly client: Client;
  readonly options: OptionValues;
  readonly format: Format;
  readonly terminal: Terminal;
  readonly progress: Progress;
}

async function applyOne(
  { client, options, format, terminal, progress }: Applying,
  manifest: Manifest,
): Promise<UntypedObject> {
  const { signal } = terminal;
  const dryRun = options["dryRun"] === true;
  const { object, outcome, reverted } = await applyManifest(client, manifest, {
    fieldManager: textOption(options, "fieldManager") ?? "fettle",
    force: options["force"] === true,
    dryRun,
    signal,
  });
  progress.clear();
  for (const { field, manager } of reverted) {
    const was = dryRun ? "would be set" : "was set";
    terminal.stderr.write(
      `${manifestTitle(object)}: ${field}, changed with ${manager.replace("-", " ")}, ${was} to the value of the manifest\n`,
    );
  }
  if (format.type === "name") terminal.stdout.write(`${manifestTitle(object)}\n`);
  else if (format.type === "table") {
    terminal.stdout.write(`${manifestTitle(object)} ${outcome}${dryRun ? " (dry run)" : ""}\n`);
  }
  if (object.kind === "CustomResourceDefinition" && !dryRun) {
    progress.show(`waiting for ${object.metadata.name} to be established`);
    await untilServed(client, object, AbortSignal.any([signal, AbortSignal.timeout(definitionTimeout)]));
  }
  return object;
}

/** True if the server rejected this manifest only, so the others can go on; false if it cannot be reached. */
function isRefusal(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && error.name === "ApiError");
}

function refuseOtherNamespace({ manifest, place }: FoundManifest, expected: string | undefined): void {
  const { namespace } = manifest.metadata;
  if (expected === undefined || namespace === undefined || namespace === expected) return;
  throw new Error(
    `${place("metadata.namespace")}: ${manifestTitle(manifest)} is in namespace ${namespace}, but -n is ${expected}; remove one of them`,
  );
}
