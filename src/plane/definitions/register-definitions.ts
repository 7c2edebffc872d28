import type { Client } from "../../client/client.js";
import {
  customResourceDefinition,
  duration,
  isConflict,
  isForbidden,
  systemClock,
  type Clock,
  type CustomResourceDefinition,
  type Duration,
} from "../../model/core.js";
import type { Resource } from "../../model/schema/resource-types.js";
import type { Log } from "../../runtime/log/log.js";
import {
  Definition,
  definitionManager,
  DefinitionRefused,
  otherManagers,
  type StoredDefinition,
} from "./definition.js";
import { missingFrom } from "./missing-fields.js";
import { isOtherSchema, isSameDefinition, unchangeable } from "./same-definition.js";
import { checkStoredObjects, type StoredObjects } from "./stored-objects.js";
import { untilEstablished, untilGone } from "./until-established.js";

export interface RegisterOptions {
  readonly log: Log;
  /** Registers also what stored objects would break, and what somebody else has defined. */
  readonly force?: boolean | undefined;
  readonly clock?: Clock | undefined;
  readonly signal?: AbortSignal | undefined;
  /** How long the server may take to serve a definition. Default 30 s. */
  readonly timeout?: Duration | undefined;
  /**
   * Is given what registers a kind again whose definition is being deleted: that may need controllers, which have to clean
   * up after its objects first. Without it, registering waits until the old definition is gone.
   */
  readonly whenGone?: ((register: (signal: AbortSignal) => Promise<void>) => void) | undefined;
}

/** How often a definition is looked at again because somebody changed it in between. */
const mostTries = 10;

/**
 * Makes a server serve kinds as this program defines them: definitions that are missing are made, those that differ are
 * brought up to date, and what is as it should be is not written. Several processes may do so at once.
 *
 * Refused, with nothing changed, when stored objects would break the new schema, when somebody else's definition lacks
 * what this program needs, and when a definition cannot become what it should be.
 *
 * @throws {DefinitionRefused}
 *
 * @example
 * await registerDefinitions(client, [Site], { log });
 */
export async function registerDefinitions(
  client: Client,
  kinds: readonly Resource[],
  options: RegisterOptions,
): Promise<void> {
  const ends = await Promise.allSettled(kinds.map((kind) => new Registration(client, kind, options).run()));
  const errors = ends.flatMap((end) => (end.status === "rejected" ? [end.reason as unknown] : []));
  const refused = errors.filter((error) => error instanceof DefinitionRefused);
  if (refused.length < errors.length) throw errors.find((error) => !(error instanceof DefinitionRefused));
  const [first] = refused;
  if (first === undefined) return;
  if (refused.length === 1) throw first;
  const message = refused.map((error) => error.message).join("\n");
  throw new DefinitionRefused(refused.map(({ definition }) => definition).join(", "), message);
}

/** One kind on its way to being served. */
class Registration {
  readonly #client: Client;
  readonly #kind: Resource;
  readonly #wanted: CustomResourceDefinition;
  readonly #name: string;
  readonly #options: RegisterOptions;
  readonly #waiting: { clock: Clock; timeout: number; signal: AbortSignal | undefined };

  constructor(client: Client, kind: Resource, options: RegisterOptions) {
    this.#client = client;
    this.#kind = kind;
    this.#wanted = customResourceDefinition(kind);
    this.#name = this.#wanted.metadata.name;
    this.#options = options;
    const { clock = systemClock, timeout = "30s", signal } = options;
    this.#waiting = { clock, timeout: duration(timeout), signal };
  }

  /** Every decision is made on what was found, and holds only if nobody changed that: then it is made anew. */
  async run(): Promise<void> {
    for (let tried = 1; ; tried++) {
      try {
        await this.#try();
        return;
      } catch (error) {
        if (!isConflict(error) || tried === mostTries) throw error;
      }
    }
  }

  async #try(): Promise<void> {
    const found = await this.#find();
    if (found === "hidden") return;
    if (found?.metadata.deletionTimestamp) {
      await this.#replace(found);
      return;
    }
    if (found !== undefined && isSameDefinition(found, this.#wanted)) {
      await untilEstablished(this.#client, found, this.#waiting);
      return;
    }
    if (found !== undefined) {
      if (this.#leaves(found)) return;
      await this.#check(found);
    }
    const written = await this.#write(found);
    const done = found === undefined ? "registered a kind" : "brought a kind's definition up to date";
    this.#options.log.info({ kind: this.#kind.kind, definition: this.#name }, done);
    await untilEstablished(this.#client, written, this.#waiting);
  }

  /** Until a definition is gone its objects are served as before, but none can be created. */
  async #replace(old: StoredDefinition): Promise<void> {
    const { log, whenGone, ...options } = this.#options;
    if (whenGone === undefined) {
      log.info({ definition: this.#name }, "waiting for an old definition to be deleted");
      await untilGone(this.#client, old, this.#waiting);
      await this.#try();
      return;
    }
    log.warn(
      { definition: this.#name },
      "the definition is being deleted with all its objects; it is registered anew once they are gone",
    );
    whenGone(async (signal) => {
      await untilGone(this.#client, old, { ...this.#waiting, timeout: Infinity, signal });
      await new Registration(this.#client, this.#kind, { ...options, log, signal }).run();
    });
  }

  /** On a cluster, an operator need not be allowed to see definitions; whoever installed it has made them. */
  async #find(): Promise<StoredDefinition | undefined | "hidden"> {
    const { log, signal } = this.#options;
    try {
      return await this.#client.find(Definition, this.#name, { signal });
    } catch (error) {
      if (!isForbidden(error)) throw error;
      log.warn(
        { definition: this.#name },
        "may not look at the definition, so it is taken to be there and up to date (fettle generate crds makes it)",
      );
      return "hidden";
    }
  }

  /** What somebody else has defined stays as they defined it, as long as this program can work with it. */
  #leaves(found: StoredDefinition): boolean {
    const managers = otherManagers(found);
    if (this.#options.force === true || managers.length === 0) return false;
    const missing = missingFrom(found, this.#wanted);
    const owner = managers.join(", ");
    if (missing.length > 0) {
      throw new DefinitionRefused(
        this.#name,
        `the definition ${this.#name} belongs to ${owner} and does not fit this program: ${some(missing)}; ` +
          `have ${owner} bring it up to date (fettle generate crds prints what is needed), or take it over with force`,
      );
    }
    this.#options.log.warn(
      { definition: this.#name, managers },
      "the definition belongs to somebody else and differs from this program's; it fits, and is left as it is",
    );
    return true;
  }

  async #check(found: StoredDefinition): Promise<void> {
    const obstacle = unchangeable(found, this.#wanted);
    if (obstacle !== undefined) {
      throw new DefinitionRefused(
        this.#name,
        `the definition ${this.#name} cannot be brought up to date: ${obstacle}; keep it as it was in the program, ` +
          `or delete it with all its objects (kubectl delete crd ${this.#name}) and start again`,
      );
    }
    if (!isOtherSchema(found, this.#wanted)) return;
    const { log, force, signal } = this.#options;
    const stored = await checkStoredObjects(this.#client, this.#kind, { signal });
    if (stored.dropped.length > 0) {
      log.warn(
        { definition: this.#name, fields: stored.dropped },
        "stored objects have fields that the schema no longer knows; they are dropped when an object is next written",
      );
    }
    if (stored.invalid === 0) return;
    if (force !== true) throw new DefinitionRefused(this.#name, this.#invalidText(stored));
    log.warn(
      { definition: this.#name, objects: stored.examples },
      "forced a schema that stored objects break",
    );
  }

  #invalidText({ invalid, count, examples }: StoredObjects): string {
    const { kind } = this.#kind;
    const rest = invalid > examples.length ? [`  and ${invalid - examples.length} more`] : [];
    return [
      `the new schema of ${this.#name} was not registered: ${invalid} of ${count} stored ${kind} objects would no longer be valid:`,
      ...examples.map((example) => `  ${example}`),
      ...rest,
      "correct these objects while the old program runs, or make the fields optional or give them a default, or pass force",
    ].join("\n");
  }

  async #write(found: StoredDefinition | undefined): Promise<StoredDefinition> {
    const { signal, force = false, log } = this.#options;
    const { resourceVersion } = found?.metadata ?? {};
    const metadata = { ...this.#wanted.metadata, ...(resourceVersion !== undefined && { resourceVersion }) };
    const onWarning = (text: string): void => log.warn({ definition: this.#name }, text);
    const options = { fieldManager: definitionManager, force, signal, onWarning };
    try {
      return await this.#client.apply(Definition, { ...this.#wanted, metadata } as never, options);
    } catch (error) {
      if (!isForbidden(error)) throw error;
      const state = found === undefined ? "is missing" : "is not what this program defines";
      throw new DefinitionRefused(
        this.#name,
        `the definition ${this.#name} ${state}, and this user may not write definitions: ` +
          "have an administrator apply what fettle generate crds prints",
        { cause: error },
      );
    }
  }
}

function some(texts: readonly string[], most = 5): string {
  const more = texts.length > most ? `, and ${texts.length - most} more` : "";
  return texts.slice(0, most).join(", ") + more;
}
