import { isDeepStrictEqual } from "node:util";
import type { Client } from "../../client/client.js";
import type { KubeObject } from "../../model/core.js";
import type { History, Version } from "../../plane/management/contract.js";
import { UsageError, type Command } from "../command/command.js";
import { rethrowNotFound } from "../objects/not-found.js";
import { textOption, connectionOptions } from "../command/options.js";
import { titleOf } from "../objects/find-kind.js";
import { address, indented, objectDiff } from "../output/object-diff.js";
import { connect } from "../server/connect.js";
import { resolveObject } from "../objects/resolve-objects.js";

export const command: Command = {
  arguments: "<object> [name]",
  description:
    "Restore an earlier spec of an object as a new generation, which its controller then reconciles. Labels, annotations and status are not changed. A deleted object is created again.",
  options: [
    ...connectionOptions,
    {
      flags: "--to <revision>",
      summary:
        "revision from fettle history, or -1 for the spec before the current one, -2 for the one before that",
      default: "-1",
    },
    { flags: "--dry-run", summary: "show what would change" },
  ],
  examples: [
    ["fettle rollback site/hello --dry-run", "preview the previous spec"],
    ["fettle rollback site/hello --to -1", "restore the previous spec"],
    ["fettle rollback site/hello --to 42", "restore the spec of revision 42"],
  ],
  async run(words, options, terminal) {
    const to = revisionOf(textOption(options, "to") ?? "-1");
    const dryRun = options["dryRun"] === true;
    await using server = await connect(options, terminal);
    const { client } = server;
    const { kind, name, namespace } = await resolveObject(words, server);
    const title = titleOf(kind, name);
    const { signal, stdout, colors } = terminal;
    // The data of a Secret is needed in full, since it is written back.
    const history = await server.plane
      .history({ apiVersion: kind.apiVersion, kind: kind.kind, namespace, name }, { reveal: true })
      .catch(rethrowNotFound(kind, undefined));
    const version = versionAt(history, to, title);
    const now = await client.find(kind, { name, namespace }, { signal });
    const after = await written(client, now, version.object, { dryRun: true, signal });
    const diff = objectDiff(now, after, { colors, ignore: [...address, "status"] });
    if (diff === "") {
      stdout.write(`${title} already matches revision ${version.revision}: nothing changed\n`);
      return;
    }
    stdout.write(`${title}\n${indented(diff)}\n`);
    if (dryRun) {
      stdout.write(`would roll back to revision ${version.revision} (dry run)\n`);
      return;
    }
    const { metadata } = await written(client, now, version.object, { signal });
    const generation = (metadata as { generation?: number }).generation;
    const made = generation === undefined ? "" : `, as generation ${generation}`;
    stdout.write(`rolled back to revision ${version.revision}${made}\n`);
  },
};

/** Writes the content of an earlier version: into the current object, or into a new one if it was deleted. */
function written(
  client: Client,
  now: KubeObject | undefined,
  then: KubeObject,
  call: { readonly dryRun?: boolean; readonly signal: AbortSignal },
): Promise<KubeObject> {
  const options = { ...call, fieldManager: "fettle-rollback" };
  const { apiVersion, kind } = then;
  if (now !== undefined) {
    const { status } = now;
    return client.update(
      {
        apiVersion: now.apiVersion,
        kind: now.kind,
        metadata: now.metadata,
        ...contentOf(then),
        ...(status !== undefined && { status }),
      },
      options,
    );
  }
  const { name, namespace, labels, annotations } = then.metadata;
  const metadata = JSON.parse(
    JSON.stringify({ name, namespace, labels, annotations }),
  ) as KubeObject["metadata"];
  return client.create({ apiVersion, kind, metadata, ...contentOf(then) }, options);
}

/** Fields of an object that users write: all but the header and the status. */
function contentOf(object: KubeObject): object {
  const { apiVersion: _, kind: __, metadata: ___, status: ____, ...content } = object;
  return content;
}

function revisionOf(text: string): number {
  if (/^-?[1-9]\d*$/.test(text)) return Number(text);
  throw new UsageError(
    `invalid value ${JSON.stringify(text)} for --to; use a revision from fettle history, or -1 for the previous spec`,
  );
}

/** @throws when history does not have the revision. */
function versionAt({ versions, floor }: History, to: number, title: string): Version {
  const list = `revisions in fettle history: ${[...new Set(versions.map(({ revision }) => revision))].slice(-10).join(", ")}`;
  if (to > 0) {
    if (to < floor && !versions.some(({ revision }) => revision === to)) {
      throw new Error(`revision ${to} is no longer kept: history starts at revision ${floor}; ${list}`);
    }
    const found = versions.findLast(({ revision }) => revision <= to);
    if (found === undefined) throw new Error(`${title} did not exist at revision ${to}; ${list}`);
    if (found.type === "deleted") {
      throw new Error(`${title} was deleted at revision ${to}; ${list}`);
    }
    const newest = versions.at(-1)?.revision ?? 0;
    if (to > newest) throw new Error(`${title} has no revision ${to}: its newest is ${newest}; ${list}`);
    return found;
  }
  const specs = distinct(versions);
  const found = specs.at(to - 1);
  if (found !== undefined) return found;
  const count = specs.length - 1;
  const problem =
    count === 0
      ? `${title} has no earlier spec in its history`
      : `--to ${to} goes too far back: ${title} has ${count} earlier ${count === 1 ? "spec" : "specs"} in its history`;
  throw new Error(`${problem}, which starts at revision ${floor}`);
}

/** Last version of each distinct spec. A deleted object counts as a version after its last spec. */
function distinct(versions: readonly Version[]): readonly Version[] {
  const specs: Version[] = [];
  for (const version of versions) {
    const last = specs.at(-1);
    const isSame =
      last !== undefined &&
      last.type !== "deleted" &&
      version.type !== "deleted" &&
      isDeepStrictEqual(contentOf(last.object), contentOf(version.object));
    if (isSame) specs[specs.length - 1] = version;
    else specs.push(version);
  }
  return specs;
}
