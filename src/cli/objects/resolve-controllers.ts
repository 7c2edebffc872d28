import { parseApiVersion } from "../../model/core.js";
import type { ControllerState } from "../../plane/management/contract.js";
import { UsageError } from "../command/command.js";
import type { ServerConnection } from "../server/connect.js";
import type { ServedKind } from "../server/served-kinds.js";
import { findKind } from "./find-kind.js";

/** Arguments of a command about a controller or one of its objects: `site/hello`, `site hello`, `site`. */
export interface ControllerArguments {
  readonly kind: string;
  readonly name: string | undefined;
}

export function parseControllerArguments(words: readonly string[]): ControllerArguments {
  const [first = "", second, ...more] = words;
  const [kind = "", name, ...rest] = first.split("/");
  const hasTwoNames = name !== undefined && second !== undefined;
  if (kind === "" || name === "" || rest.length > 0 || more.length > 0 || hasTwoNames) {
    throw new UsageError(
      words.length === 0
        ? "missing object: KIND/NAME or KIND NAME"
        : `invalid object ${JSON.stringify(words.join(" "))}; use one KIND/NAME or KIND NAME`,
    );
  }
  return { kind, name: name ?? second };
}

/** Parses arguments as {@link parseControllerArguments} does; the name is required. */
export function parseObjectArguments(
  words: readonly string[],
): ControllerArguments & { readonly name: string } {
  const { kind, name } = parseControllerArguments(words);
  if (name === undefined) throw new UsageError(`missing name: ${kind}/NAME or ${kind} NAME`);
  return { kind, name };
}

/** Controllers that a word names, or a kind without controllers. */
type Resolved =
  | { readonly controllers: readonly [ControllerState, ...ControllerState[]] }
  | { readonly controllers: readonly []; readonly kind: ServedKind };

/**
 * Resolves a word that names a controller or a kind. Controllers are searched before the kinds of the API: a controller may
 * reconcile objects that a poller lists and the API does not serve.
 *
 * @throws {UnknownKindError} when there is neither.
 */
export async function resolveControllers(word: string, server: ServerConnection): Promise<Resolved> {
  const { controllers } = await server.plane.controllers();
  const named = controllers.find(({ name }) => name === word);
  if (named !== undefined) return { controllers: [named] };
  const [first, ...others] = controllers.filter((each) => namesOf(each).includes(word.toLowerCase()));
  if (first !== undefined) return { controllers: [first, ...others] };
  // A short name, or a kind without a controller.
  const kind = findKind(await server.kinds(), word);
  const [short, ...more] = controllers.filter(
    (each) => each.kind === kind.kind && groupOf(each) === kind.group,
  );
  return short === undefined ? { controllers: [], kind } : { controllers: [short, ...more] };
}

/** Resolves as {@link resolveControllers} does; throws when no controller reconciles the kind. */
export async function requireControllers(
  word: string,
  server: ServerConnection,
): Promise<readonly ControllerState[]> {
  const resolved = await resolveControllers(word, server);
  if (!("kind" in resolved)) return resolved.controllers;
  const { controllers } = await server.plane.controllers();
  const list = controllers.map(({ name, kind }) => `${name} (${kind})`).join(", ") || "no controllers";
  throw new Error(`no controller of this control plane reconciles ${resolved.kind.kind}; it runs ${list}`);
}

/** Key of an object in the queue of a controller. */
export function queueKey({ scope }: Pick<ControllerState, "scope">, name: string, namespace: string): string {
  return scope === "Cluster" ? name : `${namespace}/${name}`;
}

function namesOf(controller: ControllerState): readonly string[] {
  const group = groupOf(controller);
  const names = [controller.kind.toLowerCase(), controller.plural];
  return group === "" ? names : [...names, ...names.map((name) => `${name}.${group}`)];
}

function groupOf({ apiVersion }: ControllerState): string {
  return parseApiVersion(apiVersion)?.group ?? "";
}
