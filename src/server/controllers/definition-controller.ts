import { isConditionTrue, isConflict, isNotFound, type Json } from "../../model/core.js";
import { jsonEqual } from "../../model/object/json.js";
import { Conflict, type StoreEvent } from "../../store/index.js";
import type { Definition, DefinitionStatus } from "../custom-resources/definition.js";
import { nextStatus, type TakenNames } from "../custom-resources/names.js";
import { resourceTypesOf } from "../custom-resources/resource-types-of.js";
import type { ResourceType } from "../resources/resource-type.js";
import { Definitions, definitionPrefix, definitionName } from "./definitions.js";
import { ServerController, type ServerControllerOptions } from "./server-controller.js";

/** State of a definition when its kinds were last installed. */
interface Installed {
  readonly uid: string;
  readonly generation: number;
  readonly names: Json;
  readonly terminating: boolean;
}

/** Names that a definition has been given, and whether it waits for more. */
interface Names extends TakenNames {
  readonly waits: boolean;
}

/** Accepts the names of definitions, and serves the kinds of those that are established. */
export class DefinitionController extends ServerController {
  readonly #definitions: Definitions;
  /** Accepted names by definition. Only this controller accepts names, so this is never behind its own decisions. */
  readonly #names = new Map<string, Names>();
  readonly #installed = new Map<string, Installed>();
  /** Callers of {@link settled}, by definition. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #stopped = false;

  constructor(options: ServerControllerOptions) {
    // One at a time, since names are unique.
    super(options, 1);
    this.#definitions = new Definitions(options.api, options.registry.types);
  }

  /** Serves established definitions at once, and then reconciles all of them. */
  async start(): Promise<void> {
    for (const definition of await this.#definitions.all()) {
      this.#recordNames(definition);
      this.work.add(definitionName(definition));
    }
  }

  override async stop(): Promise<void> {
    this.#stopped = true;
    await super.stop();
    for (const waiting of this.#waiting.values()) for (const resolve of waiting) resolve();
  }

  /** Resolves when a definition that was just written has been reconciled. */
  async settled(name: string): Promise<void> {
    if (this.#stopped) return;
    await new Promise<void>((resolve) => {
      const waiting = this.#waiting.get(name) ?? [];
      this.#waiting.set(name, [...waiting, resolve]);
      this.work.add(name);
    });
  }

  changed(event: StoreEvent): void {
    if (event.key.startsWith(definitionPrefix)) this.work.add(event.key.slice(definitionPrefix.length));
  }

  present({ key }: { readonly key: string }): void {
    if (!key.startsWith(definitionPrefix)) return;
    const name = key.slice(definitionPrefix.length);
    if (!this.#names.has(name)) this.work.add(name);
  }

  missed(): void {
    // The new initial read reports those that exist; the others may be gone.
    for (const name of this.#names.keys()) this.work.add(name);
  }

  protected async reconcile(name: string): Promise<void> {
    // Later callers may have written something that this pass does not see; they wait for the next.
    const waiting = this.#waiting.get(name) ?? [];
    this.#waiting.delete(name);
    try {
      while (!(await this.#reconcileOnce(name)));
    } finally {
      for (const resolve of waiting) resolve();
    }
  }

  /** Returns false when a concurrent change makes another pass necessary. */
  async #reconcileOnce(name: string): Promise<boolean> {
    const definition = await this.#definitions.get(name);
    if (definition === undefined) {
      this.#remove(name);
      return true;
    }
    if (definition.metadata.deletionTimestamp) {
      this.#recordNames(definition);
      return true;
    }
    const taken: TakenNames[] = this.registry.types.all.filter(isInstalled);
    for (const [other, names] of this.#names) if (other !== name) taken.push(names);
    const status = nextStatus(definition, taken, this.clock);
    const same = jsonEqual(status as unknown as Json, (definition.status ?? {}) as Json);
    if (same) {
      this.#recordNames(definition);
      return true;
    }
    try {
      if (!isEstablished(definition.status) && isEstablished(status)) await this.#clear(definition);
      this.#recordNames(await this.#definitions.writeStatus(definition, status));
    } catch (error) {
      if (isConflict(error) || isNotFound(error) || error instanceof Conflict) return false;
      throw error;
    }
    this.#retryWaiting(name);
    return true;
  }

  /** Reconciles definitions that wait for names, since some may be free now. */
  #retryWaiting(name: string): void {
    for (const [other, { waits }] of this.#names) if (waits && other !== name) this.work.add(other);
  }

  #recordNames(definition: Definition): void {
    const { status, spec } = definition;
    const { acceptedNames = { plural: "", kind: "" } } = status ?? {};
    const waits = !isConditionTrue(status?.conditions, "NamesAccepted");
    this.#names.set(definitionName(definition), { ...acceptedNames, group: spec.group, waits });
    if (isEstablished(status)) this.#serve(definition);
  }

  /** Installs the kinds of an established definition, unless they are installed already. */
  #serve(definition: Definition): void {
    const name = definitionName(definition);
    const { uid = "", generation = 1, deletionTimestamp, resourceVersion } = definition.metadata;
    const names = (definition.status?.acceptedNames ?? {}) as unknown as Json;
    const terminating = Boolean(deletionTimestamp);
    const before = this.#installed.get(name);
    const same =
      before?.uid === uid && before.generation === generation && before.terminating === terminating;
    if (same && jsonEqual(before.names, names)) return;
    // Objects that were stored under earlier schemas are pruned and defaulted when they are read.
    const schemaRevision = generation > 1 ? Number(resourceVersion) : 0;
    this.#installed.set(name, { uid, generation, names, terminating });
    this.registry.types.set(name, resourceTypesOf(definition, { schemaRevision }));
  }

  #remove(name: string): void {
    this.#names.delete(name);
    if (this.#installed.delete(name)) this.registry.types.set(name, []);
    this.#retryWaiting(name);
  }

  /**
   * Deletes objects that were written at the last moment under an earlier definition of the same name. Their kind is not served, so
   * no request can name them: this is the one write of the server that does not go through the request pipeline.
   */
  async #clear(definition: Definition): Promise<void> {
    const { group, names } = definition.spec;
    const own = await this.store.get(definitionPrefix + definitionName(definition));
    if (own === undefined) return;
    const { entries } = await this.store.range({ prefix: `/${group}/${names.plural}/` });
    for (const { key, created, revision } of entries) {
      if (created < own.created) await this.store.commit([{ type: "delete", key, expect: revision }]);
    }
  }
}

/** True for kinds without a definition. Those with one have the names that the definition was given, which may be fewer. */
function isInstalled({ capabilities }: ResourceType): boolean {
  return capabilities.routes === "installed";
}

function isEstablished(status: DefinitionStatus | undefined): boolean {
  return isConditionTrue(status?.conditions, "Established");
}
