import type { UntypedObject } from "../../client/kinds/kind.js";
import type { DeleteOptions } from "../../client/transport/transport.js";
import { UsageError, type Command, type OptionValues, type Terminal } from "../command/command.js";
import {
  durationOption,
  flagOption,
  listOption,
  selectionOptions,
  textOption,
  connectionOptions,
} from "../command/options.js";
import { fileOptions } from "../manifests/read-manifests.js";
import { startProgress } from "../terminal/progress.js";
import {
  deletionsByManifest,
  deletionsByName,
  deletionsBySelection,
  type Deletion,
} from "./delete/find-deletions.js";
import { untilDeleted } from "./delete/until-deleted.js";
import { connect, type ServerConnection } from "../server/connect.js";
import { resolveObjects } from "../objects/resolve-objects.js";

export const command: Command = {
  arguments: "[kind] [name...]",
  description:
    "Delete objects by name, by label, by manifest, or all of a kind. Waits until they are gone, that is until their finalizers are removed; Ctrl-C stops the waiting, not the deletion.",
  options: [
    ...connectionOptions,
    ...fileOptions,
    ...selectionOptions,
    { flags: "--all", summary: "delete all objects of the kind in the namespace" },
    {
      flags: "--cascade <how>",
      summary: "deletion of owned objects: after the owner, before it, or never",
      choices: ["background", "foreground", "orphan"],
      default: "background",
    },
    { flags: "--wait [wait]", summary: "wait until the objects are gone: true or false", default: "true" },
    { flags: "--timeout <time>", summary: "maximum time to wait, such as 30s or 5m (default: no limit)" },
    { flags: "--grace-period <seconds>", summary: "grace period in seconds" },
    { flags: "--ignore-not-found", summary: "succeed if an object does not exist" },
    { flags: "--dry-run", summary: "show what would be deleted" },
    { flags: "-o, --output <format>", summary: "print only names", choices: ["name"] },
  ],
  examples: [
    ["fettle delete site hello", "delete it, and wait until it is gone"],
    ["fettle delete -f site.yaml", "the objects of a manifest"],
    ["fettle delete sites -l app=web", "by label"],
    ["fettle delete site hello --cascade orphan", "keep the objects it owns"],
    ["fettle delete sites --all --wait=false", "all sites, without waiting"],
  ],
  async run(words, options, terminal) {
    const waits = flagOption(options, "wait", true);
    const timeout = await durationOption(options, "timeout");
    const requestOptions = deleteOptionsOf(options, terminal.signal);
    await using server = await connect(options, terminal);
    const { deletions, missing } = await findDeletions(words, options, terminal, server);
    let failed = missing.length > 0 && options["ignoreNotFound"] !== true;
    if (failed) for (const text of missing) terminal.stderr.write(`fettle: not found: ${text}\n`);
    using progress = startProgress(terminal);
    const waiting: Deletion[] = [];
    for (const each of deletions) {
      progress.show(`deleting ${each.title}`);
      const { uid } = each;
      const guarded: DeleteOptions = {
        ...requestOptions,
        ...(uid !== undefined && { preconditions: { uid } }),
      };
      let left: UntypedObject | undefined;
      try {
        left = await server.client.delete(each.kind, each, guarded);
      } catch (error) {
        terminal.signal.throwIfAborted();
        progress.clear();
        terminal.stderr.write(
          `fettle: ${each.title}: ${error instanceof Error ? error.message : String(error)}\n`,
        );
        failed = true;
        continue;
      }
      progress.clear();
      const isPending = left !== undefined && options["dryRun"] !== true;
      if (left !== undefined && isPending) waiting.push({ ...each, object: left });
      if (!isPending || !waits) terminal.stdout.write(lineFor(each, options, isPending));
    }
    if (!waits || waiting.length === 0) return failed ? 1 : 0;
    const onDeleted = (each: Deletion): void => void terminal.stdout.write(lineFor(each, options, false));
    const outcome = await untilDeleted(server.client, waiting, { terminal, progress, timeout, onDeleted });
    return outcome === "deleted" ? (failed ? 1 : 0) : outcome === "timeout" ? 124 : undefined;
  },
};

const policies = { background: "Background", foreground: "Foreground", orphan: "Orphan" } as const;

function lineFor({ title, namespace }: Deletion, options: OptionValues, isPending: boolean): string {
  if (options["output"] === "name") return `${title}\n`;
  const where = options["allNamespaces"] === true && namespace !== undefined ? ` in ${namespace}` : "";
  return `${title}${where} ${isPending ? "deletion started" : "deleted"}${options["dryRun"] === true ? " (dry run)" : ""}\n`;
}

function deleteOptionsOf(options: OptionValues, signal: AbortSignal): DeleteOptions {
  const how = textOption(options, "cascade") ?? "background";
  if (!Object.hasOwn(policies, how)) {
    throw new UsageError(
      `invalid value ${JSON.stringify(how)} for --cascade; use background, foreground or orphan`,
    );
  }
  const grace = textOption(options, "gracePeriod");
  if (grace !== undefined && !/^\d+$/.test(grace)) {
    throw new UsageError(
      `invalid value ${JSON.stringify(grace)} for --grace-period; use a number of seconds`,
    );
  }
  return {
    propagationPolicy: policies[how as keyof typeof policies],
    ...(grace !== undefined && { gracePeriodSeconds: Number(grace) }),
    dryRun: options["dryRun"] === true,
    signal,
  };
}

interface FoundDeletions {
  readonly deletions: readonly Deletion[];
  /** Missing objects, with a hint. */
  readonly missing: readonly string[];
}

async function findDeletions(
  words: readonly string[],
  options: OptionValues,
  terminal: Terminal,
  server: ServerConnection,
): Promise<FoundDeletions> {
  const { signal } = terminal;
  const files = listOption(options, "filename");
  if (files.length > 0) {
    if (words.length > 0) throw new UsageError("-f cannot be combined with KIND NAME");
    return deletionsByManifest(server, files, options["recursive"] === true, terminal);
  }
  if (words.length === 0)
    throw new UsageError("missing objects: KIND NAME, KIND --all, KIND -l LABELS or -f FILE");
  const { targets, selection } = await resolveObjects(words, options, server);
  const deletions: Deletion[] = [];
  const missing: string[] = [];
  for (const { kind, names } of targets) {
    if (names.length > 0) {
      const found = await deletionsByName(server, kind, names, signal);
      deletions.push(...found.deletions);
      missing.push(...found.missing);
    } else if (options["all"] === true || selection.labelSelector || selection.fieldSelector) {
      deletions.push(...(await deletionsBySelection(server, kind, selection, signal)));
    } else {
      throw new UsageError(
        `missing names of ${kind.plural}; give names, -l LABELS, or --all for all${kind.scope === "Namespaced" ? ` in namespace ${server.namespace}` : ""}`,
      );
    }
  }
  if (deletions.length === 0 && missing.length === 0) terminal.stderr.write("No objects to delete.\n");
  return { deletions, missing };
}
