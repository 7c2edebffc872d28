import { patternParts } from "./event-pattern.js";

interface PatternNode<T> {
  readonly children: Map<string, PatternNode<T>>;
  readonly values: Set<T>;
}

/** Types whose matches are remembered. Producers choose types, so that there may be any number of them. */
const maxCachedTypes = 10_000;

/**
 * Finds the values whose patterns match an event type, without looking at the others: patterns are kept as a tree by their parts.
 */
export class PatternIndex<T> {
  readonly #root: PatternNode<T> = node();
  /** How many values have a pattern. */
  readonly #patterns = new Map<string, number>();
  readonly #matches = new Map<string, readonly T[]>();
  readonly #prefixes = new Map<string, boolean>();

  /** Number of different patterns. */
  get size(): number {
    return this.#patterns.size;
  }

  get patterns(): Iterable<string> {
    return this.#patterns.keys();
  }

  /** @throws {EventPatternError} */
  add(pattern: string, value: T): void {
    let place = this.#root;
    for (const part of patternParts(pattern)) {
      let next = place.children.get(part);
      if (next === undefined) place.children.set(part, (next = node()));
      place = next;
    }
    if (place.values.has(value)) return;
    place.values.add(value);
    this.#patterns.set(pattern, (this.#patterns.get(pattern) ?? 0) + 1);
    this.#forget();
  }

  delete(pattern: string, value: T): void {
    const parts = patternParts(pattern);
    const path: PatternNode<T>[] = [this.#root];
    for (const part of parts) {
      const next = path.at(-1)?.children.get(part);
      if (next === undefined) return;
      path.push(next);
    }
    if (path.at(-1)?.values.delete(value) !== true) return;
    for (let depth = parts.length; depth > 0; depth--) {
      const { values, children } = path[depth] ?? node();
      if (values.size > 0 || children.size > 0) break;
      path[depth - 1]?.children.delete(parts[depth - 1] ?? "");
    }
    const left = (this.#patterns.get(pattern) ?? 1) - 1;
    if (left === 0) this.#patterns.delete(pattern);
    else this.#patterns.set(pattern, left);
    this.#forget();
  }

  /** Values whose patterns match, each once. */
  match(type: string): readonly T[] {
    const known = this.#matches.get(type);
    if (known !== undefined) return known;
    const found = new Set<T>();
    collect(this.#root, type.split("."), 0, found);
    const matches = [...found];
    if (this.#matches.size >= maxCachedTypes) this.#matches.clear();
    this.#matches.set(type, matches);
    return matches;
  }

  /** Tests whether a pattern can match a type that begins with `prefix` and a dot. */
  mayMatchBelow(prefix: string): boolean {
    let may = this.#prefixes.get(prefix);
    if (may === undefined) {
      may = reachesBelow(this.#root, prefix.split("."), 0);
      if (this.#prefixes.size >= maxCachedTypes) this.#prefixes.clear();
      this.#prefixes.set(prefix, may);
    }
    return may;
  }

  #forget(): void {
    this.#matches.clear();
    this.#prefixes.clear();
  }
}

function node<T>(): PatternNode<T> {
  return { children: new Map(), values: new Set() };
}

/**
 * Adds the values of all patterns that match the names from `index` on. Visits a place once for each index: a pattern such as
 * `**.a.**.a.**` would be tried in very many ways otherwise.
 */
function collect<T>(
  place: PatternNode<T>,
  names: readonly string[],
  index: number,
  found: Set<T>,
  visited: Set<PatternNode<T>>[] = [],
): void {
  const here = (visited[index] ??= new Set());
  if (here.has(place)) return;
  here.add(place);
  const any = place.children.get("**");
  if (any !== undefined)
    for (let next = index; next <= names.length; next++) collect(any, names, next, found, visited);
  const name = names[index];
  if (name === undefined) {
    for (const value of place.values) found.add(value);
    return;
  }
  for (const part of ["*", name]) {
    const next = place.children.get(part);
    if (next !== undefined) collect(next, names, index + 1, found, visited);
  }
}

/** True if a pattern matches the names from `index` on and goes on after them. */
function reachesBelow<T>(place: PatternNode<T>, names: readonly string[], index: number): boolean {
  const { children } = place;
  if (children.has("**")) return true;
  const name = names[index];
  if (name === undefined) return children.size > 0;
  return ["*", name].some((part) => {
    const next = children.get(part);
    return next !== undefined && reachesBelow(next, names, index + 1);
  });
}
