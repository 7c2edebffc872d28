import { createHash } from "node:crypto";
import type { Origin } from "../translate/configuration.js";
import { block, entry, pattern, text, variable, type Directive, type Entry, type Text } from "./directive.js";

/**
 * Variables that servers share, defined once each. A name is a hash of the definition: a change of one host does not rename those of
 * others, and equal definitions are one variable. nginx allocates room for all of them in each request.
 */
export class SharedVariables {
  readonly #definitions = new Map<string, Directive>();

  /** Definitions in order of their names. */
  get definitions(): readonly Directive[] {
    return [...this.#definitions].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, definition]) => definition);
  }

  get size(): number {
    return this.#definitions.size;
  }

  /** Variable that is `1` if another one matches a regular expression, and `0` otherwise. */
  flag(source: string, expression: string, origin: Origin): string {
    return this.map(
      "match",
      text(variable(source)),
      [entry("default", 0), entry(pattern(expression), 1)],
      origin,
    );
  }

  /** Variable that a `map` of a text defines. */
  map(prefix: string, key: Text, entries: readonly Entry[], origin: Origin): string {
    return this.#define("map", prefix, key, entries, origin);
  }

  /** Variable that has one of several values, at random for each request. */
  split(entries: readonly Entry[], origin: Origin): string {
    return this.#define("split_clients", "split", text(variable("request_id")), entries, origin);
  }

  #define(
    kind: "map" | "split_clients",
    prefix: string,
    key: Text,
    entries: readonly Entry[],
    origin: Origin,
  ): string {
    const hash = createHash("sha256")
      .update(JSON.stringify([kind, key, entries]))
      .digest("hex");
    const name = `${prefix}_${hash.slice(0, 16)}`;
    if (!this.#definitions.has(name))
      this.#definitions.set(name, block(kind, [key, text(variable(name))], entries, origin));
    return name;
  }
}
