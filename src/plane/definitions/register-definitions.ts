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
import type { Resource } from "../../model/resource/resource-types.js";
import type { Log } from "../../runtime/log/log.js";
import {
  DefinitionKind,
  definitionManager,
  DefinitionRefused,
  otherManagers,
  type StoredDefinition,
} from "./definition.js";
import { missingFrom } from "./missing-fields.js";
import { hasOtherSchema, isSameDefinition, immutableDifference } from "./same-definition.js";
import { checkStoredObjects, type StoredObjects } from "./stored-objects.js";
import { untilEstablished, untilGone } from "./until-established.js";

export interface RegisterOptions {
  readonly log: Log;
  /** Registers a schema that stored objects violate, and takes over definitions of other field managers. */
  readonly force?: boolean | undefined;
  readonly clock?: Clock | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Time for the server to serve a definition. Default: 30 s. */
  readonly timeout?: Duration | undefined;
  /**
   * Called for a kind whose definition is being deleted, with a function that registers it after that. The deletion may need
   * controllers to clean up its objects first. Without this option, registration waits for the deletion.
   */
  readonly whenGone?: ((register: (signal: AbortSignal) => Promise<void>) => void) | undefined;
}

/** Flag or option with which users set `force`. */
const forceOption = "--force-definitions (in code: forceDefinitions: true)";

/** Attempts when a definition is changed by others at the same time. */
const maxAttempts = 10;

/**
 * Registers kinds with a server: creates missing definitions, updates different ones, and leaves equal ones alone. Several
 * processes may do so at the same time.
 *
 * @throws {DefinitionRefused} when stored objects violate the new schema, a definition of another field manager lacks fields
 *   that this program needs, or a change is not possible. Nothing is changed then.
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

/** Registration of one kind. */
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

  /** Starts again after a conflict, since all decisions depend on the stored definition. */
  async run(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#try();
        return;
      } catch (error) {
        if (!isConflict(error) || attempt === maxAttempts) throw error;
      }
    }
  }

  async #try(): Promise<void> {
    const found = await this.#find();
    if (found === "forbidden") return;
    if (found?.metadata.deletionTimestamp) {
      await this.#replace(found);
      return;
    }
    if (found !== undefined && isSameDefinition(found, this.#wanted)) {
      await untilEstablished(this.#client, found, this.#waiting);
      return;
    }
    if (found !== undefined) {
      if (this.#isUsable(found)) return;
      await this.#check(found);
    }
    const written = await this.#write(found);
    const done = found === undefined ? "registered a kind" : "updated the definition of a kind";
    this.#options.log.info({ kind: this.#kind.kind, definition: this.#name }, done);
    await untilEstablished(this.#client, written, this.#waiting);
  }

  /** Registers a kind whose definition is being deleted. Until then its objects are served, but none can be created. */
  async #replace(old: StoredDefinition): Promise<void> {
    const { log, whenGone, ...options } = this.#options;
    if (whenGone === undefined) {
      log.info({ definition: this.#name }, "waiting for the deletion of the old definition");
      await untilGone(this.#client, old, this.#waiting);
      await this.#try();
      return;
    }
    log.warn(
      { definition: this.#name },
      "the definition is being deleted with all its objects; it will be registered again after that",
    );
    whenGone(async (signal) => {
      await untilGone(this.#client, old, { ...this.#waiting, timeout: Infinity, signal });
      await new Registration(this.#client, this.#kind, { ...options, log, signal }).run();
    });
  }

  /** An operator may lack permission to read definitions, since whoever installed it registered them. */
  async #find(): Promise<StoredDefinition | undefined | "forbidden"> {
    const { log, signal } = this.#options;
    try {
      return await this.#client.find(DefinitionKind, this.#name, { signal });
    } catch (error) {
      if (!isForbidden(error)) throw error;
      log.warn(
        { definition: this.#name },
        "no permission to read the definition; assuming that it exists and is up to date (fettle generate crds prints it)",
      );
      return "forbidden";
    }
  }

  /** Leaves a definition of another field manager, or of another project, as it is if this program can use it. */
  #isUsable(found: StoredDefinition): boolean {
    const managers = otherManagers(found);
    if (this.#options.force === true) return false;
    const missing = missingFrom(found, this.#wanted);
    // The project's own definition may have been applied with our commands, and then has our field manager.
    if (managers.length === 0) return this.#kind.approval !== undefined && missing.length === 0;
    const owner = managers.join(", ");
    if (missing.length > 0) {
      throw new DefinitionRefused(
        this.#name,
        `the definition ${this.#name} belongs to ${owner} and lacks what this program needs: ${firstFew(missing)}; ` +
          `update it as ${owner} (fettle generate crds prints what is needed), or take it over with ${forceOption}`,
      );
    }
    this.#options.log.warn(
      { definition: this.#name, managers },
      "the definition belongs to another field manager and differs, but is usable; left as it is",
    );
    return true;
  }

  async #check(found: StoredDefinition): Promise<void> {
    const difference = immutableDifference(found, this.#wanted);
    if (difference !== undefined) {
      throw new DefinitionRefused(
        this.#name,
        `the definition ${this.#name} cannot be updated: ${difference}; change it back in the program, ` +
          `or delete it with all its objects (kubectl delete crd ${this.#name}) and start again`,
      );
    }
    if (!hasOtherSchema(found, this.#wanted)) return;
    const { log, force, signal } = this.#options;
    const stored = await checkStoredObjects(this.#client, this.#kind, { signal });
    if (stored.dropped.length > 0) {
      log.warn(
        { definition: this.#name, fields: stored.dropped },
        "stored objects have fields that are not in the new schema; they are pruned when an object is next written",
      );
    }
    if (stored.invalid === 0) return;
    if (force !== true) throw new DefinitionRefused(this.#name, this.#invalidText(stored));
    log.warn(
      { definition: this.#name, objects: stored.examples },
      "forced a schema that stored objects violate",
    );
  }

  #invalidText({ invalid, count, examples }: StoredObjects): string {
    const { kind } = this.#kind;
    const rest = invalid > examples.length ? [`  and ${invalid - examples.length} more`] : [];
    return [
      `the new schema of ${this.#name} was not registered: ${invalid} of ${count} stored ${kind} objects would be invalid:`,
      ...examples.map((example) => `  ${example}`),
      ...rest,
      "correct these objects while the old program runs, make the fields optional, give them a default, or register the schema anyway with " +
        forceOption,
    ].join("\n");
  }

  async #write(found: StoredDefinition | undefined): Promise<StoredDefinition> {
    const { signal, force = false, log } = this.#options;
    const { resourceVersion } = found?.metadata ?? {};
    const metadata = { ...this.#wanted.metadata, ...(resourceVersion !== undefined && { resourceVersion }) };
    const onWarning = (text: string): void => log.warn({ definition: this.#name }, text);
    const options = { fieldManager: definitionManager, force, signal, onWarning };
    try {
      return await this.#client.apply(DefinitionKind, { ...this.#wanted, metadata } as never, options);
    } catch (error) {
      if (!isForbidden(error)) throw error;
      const state = found === undefined ? "is missing" : "differs from this program's";
      throw new DefinitionRefused(
        this.#name,
        `the definition ${this.#name} ${state}, and this user has no permission to write definitions: ` +
          "let an administrator apply the output of fettle generate crds",
        { cause: error },
      );
    }
  }
}

function firstFew(texts: readonly string[], max = 5): string {
  const more = texts.length > max ? `, and ${texts.length - max} more` : "";
  return texts.slice(0, max).join(", ") + more;
}
