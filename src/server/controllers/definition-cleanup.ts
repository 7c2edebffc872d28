import {
  isConflict,
  isNotFound,
  setCondition,
  type ConditionUpdate,
  type KubeObject,
} from "../../model/core.js";
import type { Entry, StoreEvent } from "../../store/index.js";
import { cleanupFinalizer, storageVersionOf, type Definition } from "../custom-resources/definition.js";
import { resourceTypesOf } from "../custom-resources/resource-types-of.js";
import { terminating } from "../custom-resources/terminating.js";
import type { ResourceType } from "../resources/resource-type.js";
import { Definitions, definitionPrefix, definitionName } from "./definitions.js";
import { ServerController, type FollowingControllerOptions } from "./server-controller.js";

/** Milliseconds between checks of a definition whose objects wait for finalizers. */
const recheckDelay = 5000;

/**
 * Deletes the objects of kinds whose definitions are being deleted, and then removes the finalizer of the definitions.
 */
export class DefinitionCleanup extends ServerController {
  readonly #definitions: Definitions;
  readonly #processed: (revision: number) => Promise<void>;
  readonly #collected: (revision: number) => Promise<void>;
  /** Storage prefix to definition name, for kinds whose objects are being deleted. */
  readonly #emptying = new Map<string, string>();

  constructor(
    options: FollowingControllerOptions & {
      /** Resolves when the dependents of objects that were gone at a revision have been collected. */
      readonly collected: (revision: number) => Promise<void>;
    },
  ) {
    super(options);
    this.#definitions = new Definitions(options.api, options.registry.types);
    this.#processed = options.processed;
    this.#collected = options.collected;
  }

  changed(event: StoreEvent): void {
    if (event.key.startsWith(definitionPrefix)) {
      this.work.add(event.key.slice(definitionPrefix.length));
    } else if (event.type === "delete") {
      for (const [prefix, name] of this.#emptying) if (event.key.startsWith(prefix)) this.work.add(name);
    }
  }

  present({ key }: Entry): void {
    if (key.startsWith(definitionPrefix)) this.work.add(key.slice(definitionPrefix.length));
  }

  protected async reconcile(name: string): Promise<void> {
    const definition = await this.#definitions.get(name);
    if (!definition?.metadata.deletionTimestamp) {
      for (const [prefix, each] of this.#emptying) if (each === name) this.#emptying.delete(prefix);
      return;
    }
    try {
      await this.#empty(definition);
    } catch (error) {
      // Somebody else changed or deleted it: reconcile again.
      if (isConflict(error) || isNotFound(error)) this.work.add(name);
      else throw error;
    }
  }

  async #empty(definition: Definition): Promise<void> {
    const name = definitionName(definition);
    const type = storedType(definition);
    if (!definition.metadata.finalizers?.includes(cleanupFinalizer)) return;
    const left = type && (await this.#deleteAll(definition, type));
    if (left === undefined) {
      await this.#definitions.removeFinalizer(definition, cleanupFinalizer);
      return;
    }
    // An object without a deletionTimestamp was created at the last moment.
    if (left.metadata.deletionTimestamp) this.work.addLater(name, recheckDelay);
    else this.work.add(name);
    await this.#setCondition(definition, terminating.inProgress);
  }

  /** Deletes all objects of a kind; returns one of those that wait for finalizers, if any. */
  async #deleteAll({ metadata }: Definition, type: ResourceType): Promise<KubeObject | undefined> {
    const { name = "", resourceVersion } = metadata;
    this.#emptying.set(type.storage.prefix, name);
    // From then on this server accepts no new objects.
    await this.#processed(Number(resourceVersion));
    const { revision } = await this.store.status();
    const now = await this.store.get(definitionPrefix + name, { revision });
    // A successor of the definition has other objects; the write that follows finds out.
    if (String(now?.revision) !== resourceVersion) return undefined;
    const then = { resourceVersion: String(revision), resourceVersionMatch: "Exact" };
    await this.api.deleteCollection(type, {}, then);
    const left = await this.api.list(type, {}, { limit: 1 });
    if (left.items[0] !== undefined) return left.items[0].object;
    // Once the kind is gone, owners of this kind can no longer be looked up.
    await this.#collected(Number(left.resourceVersion));
    return (await this.api.list(type, {}, { limit: 1 })).items[0]?.object;
  }

  async #setCondition(definition: Definition, update: ConditionUpdate): Promise<void> {
    const conditions = setCondition(definition.status?.conditions, update, this.clock);
    if (conditions === definition.status?.conditions) return;
    await this.#definitions.writeStatus(definition, { ...definition.status, conditions });
  }
}

/** The kind in its storage version, served or not; undefined if the definition was never established. */
function storedType(definition: Definition): ResourceType | undefined {
  const stored = storageVersionOf(definition);
  if (stored === undefined) return undefined;
  const spec = { ...definition.spec, versions: [{ ...stored, served: true }] };
  return resourceTypesOf({ ...definition, spec }, { schemaRevision: 0 })[0];
}
