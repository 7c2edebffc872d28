import {
  isConflict,
  isNotFound,
  setCondition,
  type ConditionUpdate,
  type KubeObject,
} from "../../model/core.js";
import type { Entry, WatchEvent } from "../../store/index.js";
import { cleanupFinalizer, storageVersionOf, type Definition } from "../custom-resources/definition.js";
import { resourceTypesOf } from "../custom-resources/resource-types-of.js";
import { terminating } from "../custom-resources/terminating.js";
import type { ResourceType } from "../resources/resource-type.js";
import { Definitions, definitionPrefix, nameOf } from "./definitions.js";
import { ServerController, type FollowingControllerOptions } from "./server-controller.js";

/** How soon a definition is looked at again while its objects wait for somebody's finalizers. */
const patience = 5000;

/**
 * Empties kinds whose definitions are being deleted, and then lets the definitions go. What is left to do is read from
 * the objects themselves, so a crash at any point is made good by looking at every definition once.
 */
export class DefinitionCleanup extends ServerController {
  readonly #definitions: Definitions;
  readonly #processed: (revision: number) => Promise<void>;
  readonly #collected: (revision: number) => Promise<void>;
  /** Storage prefixes of kinds on their way out, whose objects' deletions are of interest. */
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

  changed(event: WatchEvent): void {
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
      // It was changed, or is gone, by somebody else: look again.
      if (isConflict(error) || isNotFound(error)) this.work.add(name);
      else throw error;
    }
  }

  async #empty(definition: Definition): Promise<void> {
    const name = nameOf(definition);
    const type = storedType(definition);
    if (!definition.metadata.finalizers?.includes(cleanupFinalizer)) return;
    const left = type && (await this.#deleteAll(definition, type));
    if (left === undefined) {
      await this.#definitions.removeFinalizer(definition, cleanupFinalizer);
      return;
    }
    // What is not being deleted came in the last moment.
    if (left.metadata.deletionTimestamp) this.work.addLater(name, patience);
    else this.work.add(name);
    await this.#say(definition, terminating.inProgress);
  }

  /** Deletes all objects of a kind; if some have to stay for now, one of them is returned. */
  async #deleteAll({ metadata }: Definition, type: ResourceType): Promise<KubeObject | undefined> {
    const { name = "", resourceVersion } = metadata;
    this.#emptying.set(type.storage.prefix, name);
    // From then on nothing new is let in.
    await this.#processed(Number(resourceVersion));
    const { revision } = await this.store.status();
    const now = await this.store.get(definitionPrefix + name, { revision });
    // A definition that is another by now has other objects; the write that follows finds out.
    if (String(now?.revision) !== resourceVersion) return undefined;
    const then = { resourceVersion: String(revision), resourceVersionMatch: "Exact" };
    await this.api.deleteCollection(type, {}, then);
    const left = await this.api.list(type, {}, { limit: 1 });
    if (left.items[0] !== undefined) return left.items[0].object;
    // Once the kind is gone, nobody could tell whether an object of it that something depends on is there.
    await this.#collected(Number(left.resourceVersion));
    return (await this.api.list(type, {}, { limit: 1 })).items[0]?.object;
  }

  async #say(definition: Definition, update: ConditionUpdate): Promise<void> {
    const conditions = setCondition(definition.status?.conditions, update, this.clock);
    if (conditions === definition.status?.conditions) return;
    await this.#definitions.writeStatus(definition, { ...definition.status, conditions });
  }
}

/** The kind in the version in which it is stored, be that served or not; nothing if it was never established. */
function storedType(definition: Definition): ResourceType | undefined {
  const stored = storageVersionOf(definition);
  if (stored === undefined) return undefined;
  const spec = { ...definition.spec, versions: [{ ...stored, served: true }] };
  return resourceTypesOf({ ...definition, spec }, { schemaRevision: 0 })[0];
}
