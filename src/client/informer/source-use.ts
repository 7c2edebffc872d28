import type { KubeObject } from "../../model/core.js";
import type { AnyKind } from "../kinds/kind.js";
import type { InformerScope } from "./informers.js";
import { checkScope } from "./scope.js";
import type { ObjectChange, IndexFunction, Source, Subscription } from "../source/source.js";

/**
 * One user's share of a source that others use as well, such as a poller: it shows what is in a scope, and has names of
 * indexes of its own. An index that it does not have is looked for in the source. Nothing is kept twice.
 */
export class SourceUse implements Source {
  readonly #source: Source;
  readonly #shows: (object: KubeObject) => boolean;
  readonly #indexes = new Map<string, IndexFunction>();

  /** Throws when a selector cannot be read, and for parts of a scope that only an informer has a use for. */
  constructor(source: Source, kind: AnyKind, scope: InformerScope = {}) {
    const known = describe(kind);
    for (const part of ["metadataOnly", "transform"] as const) {
      if (!scope[part]) continue;
      throw new TypeError(
        `the scope of ${known.plural} has "${part}", but they come from a source of their own ("from"): leave it out, and let that source leave out what is not needed`,
      );
    }
    const { shows } = checkScope(known, scope);
    this.#source = source;
    this.#shows = (object) => shows(object) === true;
  }

  get synced(): boolean {
    return this.#source.synced;
  }

  ready(signal?: AbortSignal): Promise<void> {
    return this.#source.ready(signal);
  }

  get(key: string): KubeObject | undefined {
    const object = this.#source.get(key);
    return object !== undefined && this.#shows(object) ? object : undefined;
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
    return found.filter(this.#shows);
  }

  addIndex(name: string, index: IndexFunction): void {
    const before = this.#indexes.get(name);
    if (before !== undefined && before !== index) {
      throw new RangeError(
        `there is another index "${name}"; choose another name, or hand in the same function`,
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

  /** A change as it looks from within the scope, which objects come into and leave; undefined when it is outside. */
  #seen(change: ObjectChange): ObjectChange | undefined {
    const { type, object, old, initial } = change;
    if (old === undefined || type === "DELETED") return this.#shows(old ?? object) ? change : undefined;
    const before = this.#shows(old);
    if (this.#shows(object)) return before ? change : { type: "CREATED", object, initial };
    return before ? { type: "DELETED", object: old, old, initial } : undefined;
  }

  *#among(objects: Iterable<KubeObject>): Generator<KubeObject> {
    for (const object of objects) if (this.#shows(object)) yield object;
  }
}

/** What is known of a kind without asking a server: of one that is polled, a server may know nothing. */
function describe(kind: AnyKind): Parameters<typeof checkScope>[0] {
  if (typeof kind === "string") return { plural: kind };
  return "plural" in kind ? kind : { plural: kind.kind };
}

/** What the functions of all users of a source are called there. They stay as long as the source, so each has one name. */
const names = new WeakMap<Source, Map<IndexFunction, string>>();

function nameIn(source: Source, index: IndexFunction): string {
  let known = names.get(source);
  if (known === undefined) names.set(source, (known = new Map()));
  let name = known.get(index);
  if (name === undefined) known.set(index, (name = `index ${known.size + 1} of those who use it`));
  return name;
}
