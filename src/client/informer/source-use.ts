import type { KubeObject } from "../../model/core.js";
import type { AnyKind } from "../kinds/kind.js";
import type { InformerScope } from "./informers.js";
import { checkScope } from "./scope.js";
import type { ObjectChange, IndexFunction, Source, Subscription } from "../source/source.js";

/**
 * View of a shared source, such as a poller, limited to a scope and with its own index names. Other index names are looked up
 * in the source. Objects are not copied.
 */
export class SourceUse implements Source {
  readonly #source: Source;
  readonly #includes: (object: KubeObject) => boolean;
  readonly #indexes = new Map<string, IndexFunction>();

  /** Throws for invalid selectors, and for options of a scope that only informers support. */
  constructor(source: Source, kind: AnyKind, scope: InformerScope = {}) {
    const info = describe(kind);
    for (const part of ["metadataOnly", "transform"] as const) {
      if (!scope[part]) continue;
      throw new TypeError(
        `the scope of ${info.plural} has "${part}", which the source given as "from" does not support: remove it, and let the source omit what is not needed`,
      );
    }
    const { includes } = checkScope(info, scope);
    this.#source = source;
    this.#includes = (object) => includes(object) === true;
  }

  get synced(): boolean {
    return this.#source.synced;
  }

  ready(signal?: AbortSignal): Promise<void> {
    return this.#source.ready(signal);
  }

  get(key: string): KubeObject | undefined {
    const object = this.#source.get(key);
    return object !== undefined && this.#includes(object) ? object : undefined;
  }

  list(namespace?: string): Iterable<KubeObject> {
    return { [Symbol.iterator]: () => this.#among(this.#source.list(namespace)) };
  }

  get size(): number {
    let size = 0;
    for (const _ of this.list()) size++;
    return size;
  }

  byIndex(name: string, value: string): readonly KubeObject[] {
    const index = this.#indexes.get(name);
    const found = this.#source.byIndex(index === undefined ? name : nameIn(this.#source, index), value);
    return found.filter(this.#includes);
  }

  addIndex(name: string, index: IndexFunction): void {
    const before = this.#indexes.get(name);
    if (before !== undefined && before !== index) {
      throw new RangeError(
        `another index is named "${name}"; choose another name, or pass the same function`,
      );
    }
    this.#indexes.set(name, index);
    this.#source.addIndex(nameIn(this.#source, index), index);
  }

  subscribe(listener: (change: ObjectChange) => void): Subscription {
    return this.#source.subscribe((change) => {
      const seen = this.#seen(change);
      if (seen !== undefined) listener(seen);
    });
  }

  /** Change as seen within the scope: objects may enter and leave it; undefined for changes outside. */
  #seen(change: ObjectChange): ObjectChange | undefined {
    const { type, object, old, initial } = change;
    if (old === undefined || type === "DELETED") return this.#includes(old ?? object) ? change : undefined;
    const before = this.#includes(old);
    if (this.#includes(object)) return before ? change : { type: "CREATED", object, initial };
    return before ? { type: "DELETED", object: old, old, initial } : undefined;
  }

  *#among(objects: Iterable<KubeObject>): Generator<KubeObject> {
    for (const object of objects) if (this.#includes(object)) yield object;
  }
}

/** Kind without discovery: the API may not serve a polled kind. */
function describe(kind: AnyKind): Parameters<typeof checkScope>[0] {
  if (typeof kind === "string") return { plural: kind };
  return "plural" in kind ? kind : { plural: kind.kind };
}

/** Names of index functions in the source. Indexes stay as long as the source, so each function has one name. */
const names = new WeakMap<Source, Map<IndexFunction, string>>();

function nameIn(source: Source, index: IndexFunction): string {
  let indexNames = names.get(source);
  if (indexNames === undefined) names.set(source, (indexNames = new Map()));
  let name = indexNames.get(index);
  if (name === undefined) indexNames.set(index, (name = `shared index ${indexNames.size + 1}`));
  return name;
}
