import { apiVersionOf, type ResourceType } from "./resource-type.js";

/** Table of all served kinds, each of which belongs to a source: a definition, or the kinds that are served from the start. */
export class ResourceTypes {
  readonly #byPath = new Map<string, ResourceType>();
  readonly #bySource = new Map<string, readonly ResourceType[]>();
  readonly #listeners = new Set<() => void>();
  #all: readonly ResourceType[] | undefined;
  #byPrefix: ReadonlyMap<string, ResourceType> | undefined;
  #byKind: ReadonlyMap<string, ResourceType> | undefined;
  #generation = 0;

  /** Number of changes so far; documents derived from all kinds (discovery, OpenAPI) are cached by it. */
  get generation(): number {
    return this.#generation;
  }

  /** All served kinds in all served versions, in the order of their sources. */
  get all(): readonly ResourceType[] {
    this.#all ??= [...this.#bySource.values()].flat();
    return this.#all;
  }

  /** Kind served at `/apis/group/version/plural`. */
  find(group: string, version: string, plural: string): ResourceType | undefined {
    return this.#byPath.get(pathOf(group, version, plural));
  }

  /** Kind of objects with this apiVersion and kind. */
  ofKind(apiVersion: string, kind: string): ResourceType | undefined {
    if (this.#byKind === undefined) {
      this.#byKind = new Map(this.all.map((type) => [`${apiVersionOf(type)} ${type.kind}`, type]));
    }
    return this.#byKind.get(`${apiVersion} ${kind}`);
  }

  /** One version of every stored kind: the storage version, or the first served one if that is not served. */
  get distinct(): readonly ResourceType[] {
    return [...this.#prefixes().values()];
  }

  /** Kind of the object at a store key. */
  ofKey(key: string): ResourceType | undefined {
    const end = key.indexOf("/", key.indexOf("/", 1) + 1);
    return this.#prefixes().get(key.slice(0, end + 1));
  }

  #prefixes(): ReadonlyMap<string, ResourceType> {
    if (this.#byPrefix !== undefined) return this.#byPrefix;
    const byPrefix = new Map<string, ResourceType>();
    for (const type of this.all) {
      if (type.answer !== undefined) continue;
      const { prefix, apiVersion } = type.storage;
      if (!byPrefix.has(prefix) || apiVersion === apiVersionOf(type)) byPrefix.set(prefix, type);
    }
    this.#byPrefix = byPrefix;
    return byPrefix;
  }

  /** Replaces the kinds of a source, such as the name of a definition. */
  set(source: string, types: readonly ResourceType[]): void {
    for (const type of this.#bySource.get(source) ?? []) this.#byPath.delete(pathOfType(type));
    if (types.length === 0) this.#bySource.delete(source);
    else this.#bySource.set(source, types);
    for (const type of types) this.#byPath.set(pathOfType(type), type);
    this.#all = undefined;
    this.#byPrefix = undefined;
    this.#byKind = undefined;
    this.#generation++;
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` after every change until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

function pathOf(group: string, version: string, plural: string): string {
  return `${group}/${version}/${plural}`;
}

function pathOfType({ group, version, plural }: ResourceType): string {
  return pathOf(group, version, plural);
}
