import type { UntypedObject } from "../../client/kinds/kind.js";
import type { Selection } from "../../client/transport/transport.js";
import type { ObjectKey } from "../../model/object/object-key.js";
import { parseFieldSelector, parseLabelSelector } from "../../model/core.js";
import { UsageError, type OptionValues, type Terminal } from "../command/command.js";
import { textOption } from "../command/options.js";
import type { ServerConnection } from "../server/connect.js";
import type { ServedKind } from "../server/served-kinds.js";
import { findKinds } from "./find-kind.js";
import { rethrowNotFound } from "./not-found.js";

/** Objects of one kind that the arguments of a command name; without names, all that the selection matches. */
export interface NamedObjects {
  readonly kind: ServedKind;
  readonly names: readonly string[];
}

/** Selection of objects by the options `-n`, `-A`, `-l` and `--field-selector`. */
export interface ObjectSelection extends Selection {
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined;
}

/** Objects that the arguments and options of a command name. */
export interface ResolvedObjects {
  readonly targets: readonly NamedObjects[];
  readonly selection: ObjectSelection;
}

/** One object that the arguments of a command name. Its namespace is undefined for cluster-scoped kinds. */
export interface ResolvedObject extends ObjectKey {
  readonly kind: ServedKind;
}

/**
 * Resolves the arguments of a command that takes any number of objects: `KIND`, `KIND NAME…`, `KIND,KIND`, `KIND/NAME…`, or
 * a category.
 *
 * @throws {UsageError} for invalid arguments or selectors, and UnknownKindError when the server has no such kind.
 */
export async function resolveObjects(
  words: readonly string[],
  options: OptionValues,
  server: ServerConnection,
): Promise<ResolvedObjects> {
  const targets = parseTargets(words, await server.kinds());
  for (const { names } of targets) {
    if (names.length > 0) refuseSelection(options);
  }
  return { targets, selection: selectionOf(options, server) };
}

/** Resolves the arguments of a command that takes one object: `KIND NAME` or `KIND/NAME`. */
export async function resolveObject(
  words: readonly string[],
  server: ServerConnection,
): Promise<ResolvedObject> {
  const [target, ...others] = parseTargets(words, await server.kinds());
  const [name, ...more] = target?.names ?? [];
  if (target === undefined || name === undefined) {
    throw new UsageError("missing object: KIND NAME or KIND/NAME");
  }
  if (others.length > 0 || more.length > 0) {
    throw new UsageError("too many objects: this command takes one KIND NAME or KIND/NAME");
  }
  const { kind } = target;
  return { kind, name, namespace: kind.scope === "Cluster" ? undefined : server.namespace };
}

/** Reads one object. A 404 names the namespace that was searched. */
export function getObject(
  { client }: ServerConnection,
  { kind, name, namespace }: ResolvedObject,
  { signal }: Terminal,
): Promise<UntypedObject> {
  return client.get(kind, { name, namespace }, { signal }).catch(rethrowNotFound(kind, namespace));
}

/** Selection of the one object that a target names, or of all that the selection matches. For watches. */
export function selectTarget({ names: [name] }: NamedObjects, selection: ObjectSelection): ObjectSelection {
  return name === undefined ? selection : { ...selection, fieldSelector: `metadata.name=${name}` };
}

function parseTargets(words: readonly string[], served: readonly ServedKind[]): readonly NamedObjects[] {
  const [first, ...names] = words;
  if (first === undefined) throw new UsageError("missing argument: KIND, KIND NAME or KIND/NAME");
  if (words.some((word) => word.includes("/"))) return parsePairs(words, served);
  const kinds = first
    .split(",")
    .filter((word) => word !== "")
    .flatMap((word) => findKinds(served, word));
  if (kinds.length === 0) throw new UsageError(`${JSON.stringify(first)} is not a kind`);
  return kinds.map((kind) => ({ kind, names: [...new Set(names)] }));
}

/** Groups `KIND/NAME` arguments by kind, in the order in which the kinds first appear. */
function parsePairs(words: readonly string[], served: readonly ServedKind[]): readonly NamedObjects[] {
  const namesByKind = new Map<ServedKind, Set<string>>();
  for (const word of words) {
    const [kindWord = "", name = "", ...more] = word.split("/");
    if (kindWord === "" || name === "" || more.length > 0) {
      throw new UsageError(
        `${JSON.stringify(word)} is not KIND/NAME; use KIND/NAME for every argument, or one KIND followed by names`,
      );
    }
    for (const kind of kindWord.split(",").flatMap((each) => findKinds(served, each))) {
      const names = namesByKind.get(kind) ?? new Set();
      namesByKind.set(kind, names.add(name));
    }
  }
  return Array.from(namesByKind, ([kind, names]) => ({ kind, names: [...names] }));
}

function selectionOf(options: OptionValues, { namespace }: ServerConnection): ObjectSelection {
  return {
    namespace: options["allNamespaces"] === true ? undefined : namespace,
    labelSelector: checkSelector("-l", textOption(options, "selector"), parseLabelSelector),
    fieldSelector: checkSelector(
      "--field-selector",
      textOption(options, "fieldSelector"),
      parseFieldSelector,
    ),
  };
}

/** Checks a selector here, because the error of a server would not name the option. */
function checkSelector(
  flag: string,
  text: string | undefined,
  parse: (text: string) => unknown,
): string | undefined {
  try {
    if (text !== undefined) parse(text);
    return text;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`invalid selector for ${flag}: ${JSON.stringify(text)}: ${why}`);
  }
}

function refuseSelection(options: OptionValues): void {
  for (const [name, flag] of [
    ["selector", "-l"],
    ["fieldSelector", "--field-selector"],
    ["all", "--all"],
    ["allNamespaces", "-A"],
  ] as const) {
    if (options[name]) throw new UsageError(`${flag} cannot be combined with names`);
  }
}
