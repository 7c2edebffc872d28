import type { Alias, Document, LineCounter, ParsedNode, Scalar as ScalarNode, YAMLMap, YAMLSeq } from "yaml";
import type * as yaml from "yaml";
import type { Json } from "../../model/core.js";
import { wellFormed } from "../../model/object/quote.js";
import { type MutableObject, setOwn } from "../../model/object/json.js";
import { DecodeError, inexactNumber } from "./decode-error.js";
import type { DecodeLimits } from "./decode-limits.js";
import { floatKey, resolvePlain, resolveTagged, type YamlScalar } from "./yaml-scalar.js";

/** Module `yaml`, imported on first use. */
export type Yaml = typeof yaml;

/** Source of a parsed document. */
export interface YamlSource {
  readonly text: string;
  readonly lines: LineCounter;
}

/** Value of a document, and a message for each duplicate key: `line 3: key "a" already set in map`. */
export interface YamlValue {
  readonly value: Json;
  readonly duplicates: readonly string[];
}

/** Cost of a value in {@link DecodeLimits.yamlAliases}, besides its characters: roughly its memory. */
const valueCost = 16;

/** Maximum of reported duplicates. */
const maxDuplicates = 100;

/**
 * Converts a parsed document to JSON as Kubernetes does: YAML 1.1 scalars, keys converted to strings, `<<` merged in
 * document order (it overwrites keys before it), aliases copied.
 *
 * @throws {DecodeError}
 */
export function valueOf(
  yaml: Yaml,
  document: Document.Parsed,
  source: YamlSource,
  limits: DecodeLimits,
): YamlValue {
  const reader = new Reader(yaml, source, limits);
  reader.findAnchors(document.contents);
  return { value: reader.read(document.contents, 0), duplicates: reader.duplicates };
}

type Node = ParsedNode | null;

/** Map under construction. Keys of different types are distinct, although they may become the same field. */
interface MapBuilder {
  readonly object: MutableObject;
  readonly seen: Set<string>;
}

function isBlock(type: string | undefined): boolean {
  return type === "BLOCK_LITERAL" || type === "BLOCK_FOLDED";
}

class Reader {
  readonly duplicates: string[] = [];
  readonly #yaml: Yaml;
  readonly #lines: LineCounter;
  readonly #limits: DecodeLimits;
  /** Length of the text if it does not end with a line break, otherwise -1. */
  readonly #openEnd: number;
  /** Node that each alias refers to: the last anchor of its name before it. */
  readonly #anchored = new Map<Alias, ParsedNode>();
  /** Aliases being expanded, to detect cycles. */
  readonly #expanding = new Set<Alias>();
  /** Cost of all expanded aliases so far. */
  #aliasCost = 0;

  constructor(yaml: Yaml, source: YamlSource, limits: DecodeLimits) {
    const { text, lines } = source;
    this.#openEnd = text.endsWith("\n") ? -1 : text.length;
    this.#yaml = yaml;
    this.#lines = lines;
    this.#limits = limits;
  }

  /** Resolves aliases to anchors. The parser has limited the depth of this recursion. */
  findAnchors(root: Node): void {
    const { isAlias, isCollection, isPair } = this.#yaml;
    const anchors = new Map<string, ParsedNode>();
    const visit = (node: Node): void => {
      if (node === null) return;
      if (isAlias(node)) {
        const target = anchors.get(node.source);
        if (target === undefined) throw this.#error(node, `unknown anchor '${node.source}' referenced`);
        this.#anchored.set(node, target);
        return;
      }
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
      if (!isCollection(node)) return;
      for (const item of node.items) {
        if (isPair(item)) {
          visit(item.key);
          visit(item.value);
        } else visit(item);
      }
    };
    visit(root);
  }

  read(node: Node, depth: number): Json {
    const { isAlias, isMap, isSeq } = this.#yaml;
    if (node === null) return null;
    if (depth > this.#limits.depth) {
      throw this.#error(node, `exceeded max depth: ${this.#limits.depth} levels`, "value");
    }
    if (this.#expanding.size > 0) this.#countAliasCost(node);
    if (isAlias(node)) return this.#expand(node, (target) => this.read(target, depth + 1));
    if (isSeq(node)) return (node as YAMLSeq<Node>).items.map((item) => this.read(item, depth + 1));
    if (isMap(node)) {
      const target: MapBuilder = { object: {}, seen: new Set() };
      this.#fill(node, target, depth);
      return target.object;
    }
    return this.#scalarValue(node);
  }

  #fill(map: YAMLMap<Node, Node>, target: MapBuilder, depth: number): void {
    for (const { key, value } of map.items) {
      if (this.#isMerge(key)) {
        this.#merge(value, target, depth + 1);
        continue;
      }
      const name = this.#key(key);
      const field = this.read(value, depth + 1);
      if (target.seen.has(name.label)) this.#addDuplicate(value ?? key, name.label);
      target.seen.add(name.label);
      setOwn(target.object, name.field, field);
    }
  }

  #isMerge(key: Node): boolean {
    return (
      this.#yaml.isScalar(key) &&
      key.source === "<<" &&
      (key.tag === undefined ? key.type === "PLAIN" : key.tag === "tag:yaml.org,2002:merge")
    );
  }

  #merge(node: Node, target: MapBuilder, depth: number): void {
    const { isAlias, isMap, isSeq } = this.#yaml;
    if (isSeq(node)) {
      // The first map has precedence, so it is merged last.
      for (const item of (node as YAMLSeq<Node>).items.toReversed()) this.#mergeOne(item, target, depth + 1);
    } else if (isMap(node) || isAlias(node)) this.#mergeOne(node, target, depth);
    else throw this.#error(node, "map merge requires map or sequence of maps as the value");
  }

  #mergeOne(node: Node, target: MapBuilder, depth: number): void {
    const { isAlias, isMap } = this.#yaml;
    if (depth > this.#limits.depth) {
      throw this.#error(node, `exceeded max depth: ${this.#limits.depth} levels`, "value");
    }
    if (isMap(node)) this.#fill(node, target, depth);
    else if (isAlias(node) && isMap(this.#anchored.get(node))) {
      this.#expand(node, (map) => this.#mergeOne(map, target, depth + 1));
    } else throw this.#error(node, "map merge requires map or sequence of maps as the value");
  }

  #expand<Value>(alias: Alias, read: (target: ParsedNode) => Value): Value {
    const target = this.#anchored.get(alias);
    if (target === undefined || this.#expanding.has(alias)) {
      throw this.#error(alias as Alias.Parsed, `anchor '${alias.source}' value contains itself`);
    }
    this.#expanding.add(alias);
    const value = read(target);
    this.#expanding.delete(alias);
    return value;
  }

  /** Limits the expansion of aliases ("billion laughs"). */
  #countAliasCost(node: ParsedNode): void {
    this.#aliasCost += valueCost + (this.#yaml.isScalar(node) ? node.source.length : 0);
    if (this.#aliasCost > this.#limits.yamlAliases) {
      throw this.#error(node, "document contains excessive aliasing", "value");
    }
  }

  #scalar(node: ParsedNode): YamlScalar {
    const { value, type, tag } = node as ScalarNode;
    const source = typeof value === "string" ? wellFormed(value) : "";
    // The parser ends a block with a line break even if the text ends without one.
    const text = node.range[1] === this.#openEnd && isBlock(type) ? source.replace(/\n$/, "") : source;
    if (tag !== undefined) return resolveTagged(tag, text, this.#place(node));
    return type === "PLAIN" || type === undefined ? resolvePlain(text) : { type: "str", value: text };
  }

  #scalarValue(node: ParsedNode): Json {
    const scalar = this.#scalar(node);
    this.#checkExact(node, scalar);
    const { value } = scalar;
    if (typeof value === "number" && !Number.isFinite(value)) {
      const name = Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
      throw new DecodeError("value", `json: unsupported value: ${name} (${this.#place(node)})`);
    }
    return value;
  }

  /** Field name of a key, and its label in messages. */
  #key(node: Node): { field: string; label: string } {
    const { isAlias, isScalar } = this.#yaml;
    if (isAlias(node)) return this.#expand(node, (target) => this.#key(target));
    if (!isScalar(node)) throw this.#error(node, "invalid map key: keys must be scalars");
    if (this.#expanding.size > 0) this.#countAliasCost(node as ParsedNode);
    const scalar = this.#scalar(node as ParsedNode);
    this.#checkExact(node as ParsedNode, scalar);
    switch (scalar.type) {
      case "str":
        return { field: scalar.value, label: JSON.stringify(scalar.value) };
      case "float":
        return { field: floatKey(scalar.value), label: String(scalar.value) };
      case "null":
        throw this.#error(node, "unsupported map key: null");
      default:
        return { field: String(scalar.value), label: String(scalar.value) };
    }
  }

  #checkExact(node: ParsedNode, scalar: YamlScalar): void {
    if (scalar.type !== "int" || !scalar.inexact) return;
    throw inexactNumber(String((node as ScalarNode).source ?? scalar.value), this.#place(node));
  }

  #addDuplicate(node: Node, key: string): void {
    if (this.duplicates.length >= maxDuplicates) return;
    const excerpt = key.length > 1000 ? `${key.slice(0, 1000)}…` : key;
    this.duplicates.push(`${this.#place(node)}: key ${excerpt} already set in map`);
  }

  #error(node: Node, message: string, problem: "syntax" | "value" = "syntax"): DecodeError {
    return new DecodeError(problem, `yaml: ${this.#place(node)}: ${message}`);
  }

  #place(node: Node): string {
    return `line ${this.#lines.linePos(node?.range[0] ?? 0).line}`;
  }
}
