import type { Client, Manifest } from "../../client/client.js";
import { isNotFound, type KubeObject } from "../../model/core.js";
import { needsOthers } from "../../plane/management/plan/dry-run.js";
import { connectionOptions, type Command, type OptionValues, type Terminal } from "../command.js";
import { connect } from "../connect.js";
import { listOption } from "../kinds/asked.js";
import { inOrder, manifestTitle } from "../manifests/apply-manifest.js";
import { fileOptions, readManifests } from "../manifests/read-manifests.js";
import { objections } from "../manifests/refusal.js";
import { objectDiff } from "../understand/object-diff.js";

/** 1 says that there are differences. */
const trouble = 2;

export const command: Command = {
  arguments: "[file...]",
  description:
    "Shows what applying manifests would change of the objects themselves; nothing is changed. The exit code is 1 when something would be, and 2 when that could not be found out, as diff and kubectl diff have it. Works with any Kubernetes API; fettle plan also tells what controllers would do then.",
  options: [...connectionOptions, ...fileOptions],
  examples: [
    ["fettle diff -f site.yaml", "what would change"],
    ["fettle diff -f manifests/ -R", "of everything in a folder"],
  ],
  failureCode: trouble,
  run: diff,
};

async function diff(words: readonly string[], options: OptionValues, terminal: Terminal): Promise<number> {
  const files = [...listOption(options, "filename"), ...words];
  const found = inOrder(await readManifests(files, { recursive: options["recursive"] === true, terminal }));
  await using server = await connect(options, terminal);
  const all = found.map(({ manifest }) => manifest);
  let differs = false;
  let failed = false;
  for (const { manifest, place } of found) {
    const title = manifestTitle(manifest);
    try {
      const { before, after } = await rehearsed(server.client, manifest, all, terminal.signal);
      const text = objectDiff(before, after, { colors: terminal.colors, title });
      if (text === "") continue;
      differs = true;
      terminal.stdout.write(`${text}\n`);
    } catch (error) {
      terminal.signal.throwIfAborted();
      failed = true;
      for (const { field, message } of objections(error)) {
        terminal.stderr.write(`fettle: ${place(field)}: ${title}: ${message}\n`);
      }
    }
  }
  return failed ? trouble : differs ? 1 : 0;
}

/** An object before and after a manifest would be applied; what it needs first may be among the others. */
async function rehearsed(
  client: Client,
  manifest: Manifest,
  all: readonly Manifest[],
  signal: AbortSignal,
): Promise<{ readonly before: KubeObject | undefined; readonly after: KubeObject }> {
  const { name, namespace } = manifest.metadata;
  const options = { dryRun: true, signal };
  try {
    if (name === undefined) return { before: undefined, after: await client.create(manifest, options) };
    const before = await client.find(manifest, { name, namespace }, { signal });
    return { before, after: await client.apply(manifest, { ...options, force: true }) };
  } catch (error) {
    if (isNotFound(error) && needsOthers(manifest, all)) return { before: undefined, after: manifest };
    throw error;
  }
}
