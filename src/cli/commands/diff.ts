import { applyOverEdits, contestedFields } from "../../client/apply-over-edits.js";
import type { Client, Manifest } from "../../client/client.js";
import { isNotFound, type KubeObject } from "../../model/core.js";
import { needsOthers } from "../../plane/management/plan/dry-run.js";
import { type Command } from "../command/command.js";
import { connect } from "../server/connect.js";
import { listOption, connectionOptions } from "../command/options.js";
import { inOrder, manifestTitle } from "../manifests/apply-manifest.js";
import { fileOptions, readManifests } from "../manifests/read-manifests.js";
import { problemsOf } from "../manifests/refusal.js";
import { objectDiff } from "../output/object-diff.js";

export const command: Command = {
  arguments: "[file...]",
  description:
    "Show how applying manifests would change the objects, without changing anything. Exits with 0 if nothing would change, 1 on errors and 2 if something would change, as fettle plan --exit-code does. Works with any Kubernetes API; fettle plan also shows what controllers would do.",
  options: [...connectionOptions, ...fileOptions],
  examples: [
    ["fettle diff -f site.yaml", "what would change"],
    ["fettle diff -f manifests/ -R", "for a folder and its subfolders"],
  ],
  usageCode: 1,
  async run(words, options, terminal) {
    const files = [...listOption(options, "filename"), ...words];
    const found = inOrder(await readManifests(files, { recursive: options["recursive"] === true, terminal }));
    await using server = await connect(options, terminal);
    const all = found.map(({ manifest }) => manifest);
    let differs = false;
    let failed = false;
    for (const { manifest, place } of found) {
      const title = manifestTitle(manifest);
      try {
        const { before, after, conflict } = await dryRunApply(server.client, manifest, all, terminal.signal);
        const text = objectDiff(before, after, { colors: terminal.colors, title });
        if (text !== "") {
          differs = true;
          terminal.stdout.write(`${text}\n`);
        }
        if (conflict !== undefined) throw conflict;
      } catch (error) {
        terminal.signal.throwIfAborted();
        failed = true;
        for (const { field, message } of problemsOf(error)) {
          terminal.stderr.write(`fettle: ${place(field)}: ${title}: ${message}\n`);
        }
      }
    }
    return failed ? 1 : differs ? 2 : 0;
  },
};

interface DryRunResult {
  readonly before: KubeObject | undefined;
  readonly after: KubeObject;
  /** Error that an apply would fail with, because of fields of other field managers; `after` is with `--force`. */
  readonly conflict?: unknown;
}

/** Applies a manifest as a dry run. If another manifest creates what it needs, the manifest itself is the result. */
async function dryRunApply(
  client: Client,
  manifest: Manifest,
  all: readonly Manifest[],
  signal: AbortSignal,
): Promise<DryRunResult> {
  const options = { dryRun: true, signal, fieldManager: "fettle" };
  try {
    const { before, object } = await applyOverEdits(client, manifest, options);
    return { before, after: object };
  } catch (error) {
    if (contestedFields(error).length > 0) {
      const { before, object } = await applyOverEdits(client, manifest, { ...options, force: true });
      return { before, after: object, conflict: error };
    }
    if (isNotFound(error) && needsOthers(manifest, all)) return { before: undefined, after: manifest };
    throw error;
  }
}
