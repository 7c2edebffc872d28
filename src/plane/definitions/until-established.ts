import type { Client } from "../../client/client.js";
import { findCondition, isExpired, within, type Clock } from "../../model/core.js";
import { DefinitionKind, DefinitionRefused, type StoredDefinition } from "./definition.js";

export interface UntilEstablishedOptions {
  readonly clock: Clock;
  /** Milliseconds. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}

/** Resolves when the server serves a definition. */
export function untilEstablished(
  client: Client,
  definition: StoredDefinition,
  options: UntilEstablishedOptions,
): Promise<void> {
  return isEstablished(definition)
    ? Promise.resolve()
    : follow(client, nameOf(definition), options, "becoming established", (now) => {
        if (now === undefined) throw new DefinitionRefused(nameOf(definition), deletedText(definition));
        return isEstablished(now);
      });
}

/** Resolves when a definition has been deleted. */
export function untilGone(
  client: Client,
  definition: StoredDefinition,
  options: UntilEstablishedOptions,
): Promise<void> {
  return follow(
    client,
    nameOf(definition),
    options,
    "being deleted",
    (now) => now?.metadata.uid !== definition.metadata.uid,
  );
}

/** @throws {DefinitionRefused} when another definition has the same names. */
function isEstablished(definition: StoredDefinition): boolean {
  const { conditions } = definition.status ?? {};
  const names = findCondition(conditions, "NamesAccepted");
  if (names?.status === "False") {
    throw new DefinitionRefused(
      nameOf(definition),
      `the definition ${nameOf(definition)} is not served because its names are taken: ${names.message}; ` +
        "give the kind another plural or short name, or delete the definition that has them",
    );
  }
  return findCondition(conditions, "Established")?.status === "True";
}

function deletedText(definition: StoredDefinition): string {
  return `the definition ${nameOf(definition)} was deleted while it was being registered; start again`;
}

/** Watches one definition until a condition holds; an expired watch is restarted. */
function follow(
  client: Client,
  name: string,
  { clock, timeout, signal }: UntilEstablishedOptions,
  what: string,
  holds: (definition: StoredDefinition | undefined) => boolean,
): Promise<void> {
  const limits = { clock, limit: timeout, signal, what: `the definition ${name}'s ${what}` };
  return within(limits, async (signal) => {
    const fieldSelector = `metadata.name=${name}`;
    for (;;) {
      const { items, resourceVersion } = await client.list(DefinitionKind, { fieldSelector, signal });
      if (holds(items[0])) return;
      try {
        for await (const { type, object } of client.watch(DefinitionKind, {
          fieldSelector,
          resourceVersion,
          signal,
        })) {
          if (type !== "BOOKMARK" && holds(type === "DELETED" ? undefined : object)) return;
        }
      } catch (error) {
        if (!isExpired(error)) throw error;
      }
      signal.throwIfAborted();
    }
  });
}

function nameOf({ metadata }: StoredDefinition): string {
  return metadata.name ?? "";
}
