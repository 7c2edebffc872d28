import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { UntypedObject } from "../../client/kinds/kind.js";
import { UsageError, type Command, type OptionValues, type Terminal } from "../command/command.js";
import { connectionOptions, textOption } from "../command/options.js";
import { rethrowNotFound } from "../objects/not-found.js";
import { resolveObject } from "../objects/resolve-objects.js";
import { formatOf } from "../output/format.js";
import { printWritten, writtenOption } from "../output/written.js";
import { connect } from "../server/connect.js";

const types = ["merge", "json", "strategic"] as const;

export const command: Command = {
  arguments: "<kind> [name]",
  description:
    "Change some fields of an object. A merge patch has the fields to change, with null for those to remove; a JSON patch is a list of operations; a strategic merge patch, for Kubernetes' own kinds, merges lists by the keys of their items.",
  options: [
    ...connectionOptions,
    { flags: "-p, --patch <text>", summary: "patch as JSON or YAML" },
    { flags: "--patch-file <file>", summary: "file with the patch" },
    {
      flags: "--type <type>",
      summary: "type of the patch (default: json for a list, merge otherwise)",
      choices: types,
    },
    { flags: "--subresource <name>", summary: "patch a subresource instead: status", choices: ["status"] },
    { flags: "--dry-run", summary: "validate on the server without changing anything" },
    writtenOption,
  ],
  examples: [
    [`fettle patch site hello -p '{"spec":{"title":"Hi"}}'`, "change one field"],
    ["fettle patch site/hello -p 'spec: {title: null}'", "remove it, in YAML"],
    [
      `fettle patch site hello -p '[{"op":"replace","path":"/spec/pages","value":3}]'`,
      "by operations of JSON Patch",
    ],
  ],
  async run(words, options, terminal) {
    const format = formatOf(options);
    const patch = await patchOf(options, terminal);
    const type = textOption(options, "type");
    await using server = await connect(options, terminal);
    const { kind, name, namespace } = await resolveObject(words, server);
    const dryRun = options["dryRun"] === true;
    const writing = {
      dryRun,
      signal: terminal.signal,
      fieldManager: "fettle-patch",
      ...(type !== undefined && { type: type as "merge" }),
    };
    const { client } = server;
    const target = { name, namespace };
    const patched: Promise<UntypedObject> =
      textOption(options, "subresource") === "status"
        ? client.patchStatus(kind, target, patch, writing)
        : client.patch(kind, target, patch, writing);
    const object = await patched.catch(rethrowNotFound(kind, namespace));
    await printWritten([object], "patched", { format, dryRun, terminal });
  },
};

/** @throws {UsageError} when the patch is missing or malformed. */
async function patchOf(options: OptionValues, { cwd }: Terminal): Promise<object> {
  const text = textOption(options, "patch");
  const file = textOption(options, "patchFile");
  if ((text === undefined) === (file === undefined))
    throw new UsageError("give the patch with -p TEXT, or with --patch-file FILE");
  const source = text ?? (await readFile(resolve(cwd, file ?? ""), "utf8"));
  const { parse } = await import("yaml");
  let patch: unknown;
  try {
    patch = parse(source);
  } catch (error) {
    throw new UsageError(`malformed patch: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof patch === "object" && patch !== null) return patch;
  throw new UsageError("malformed patch: must be an object, or a list of JSON Patch operations");
}
