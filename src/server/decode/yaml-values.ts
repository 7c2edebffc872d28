import type { Alias, Document, LineCounter, ParsedNode, Scalar as ScalarNode, YAMLMap, YAMLSeq } from "yaml";
import type * as yaml from "yaml";
import type { Json } from "../../model/core.js";
import { wellFormed } from "../../model/object/quote.js";
import { type MutableObject, setOwn } from "../../model/object/json.js";
import { DecodeError, inexactNumber } from "./decode-error.js";
import type { DecodeLimits } from "./decode-limits.js";
import { floatKey, resolvePlain, resolveTagged, type Scalar } from "./yaml-scalar.js";

/** The parser, which is loaded only once it is needed. */
export type Yaml = typeof yaml;

/** What a document was parsed from. */
export interface YamlSource {
  readonly text: string;
  readonly lines: LineCounter;
}

/** A document's value, and the keys that a map has twice: `line 3: key "a" already set in map`. */
export interface YamlValue {
  readonly value: Json;
  readonly duplicates: readonly string[];
}

/** What a value costs against the limit of aliases, besides its characters: about what it takes in memory and time. */
const valueCost = 16;

/** More than this many duplicates are not reported. */
const maxDuplicates = 100;

/**
 * Turns a parsed document into JSON the way Kubernetes does: YAML 1.1 scalars, keys that become texts, `<<` that merges
 * where it stands (so that what stands before it is overwritten), and aliases that become copies.
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

/** A map while it is filled. Keys of different types are different, although they may become one field. */
interface Target {
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
  /** Where the text ends if not with a line break. */
  readonly #openEnd: number;
  /** What each alias stands for: the last anchor of its name before it. */
  readonly #anchored = new Map<Alias, ParsedNode>();
  /** The aliases that are being followed. */
  readonly #following = new Set<Alias>();
  /** How much aliases have added. */
  #added = 0;

  constructor(yaml: Yaml, source: YamlSource, limits: DecodeLimits) {
    const { text, lines } = source;
    this.#openEnd = text.endsWith("\n") ? -1 : text.length;
    this.#yaml = yaml;
    this.#lines = lines;
    this.#limits = limits;
  }

  /** Walks through the document as it was written. The parser has bounded how deep that can be. */
  findAnchors(root: Node): void {
    const { isAlias, isCollection, isPair } = this.#yaml;
    const anchors = new Map<string, ParsedNode>();
    const visit = (node: Node): void => {
      if (node === null) return;
      if (isAlias(node)) {
        const target = anchors.get(node.source);
        if (target === undefined) throw this.#problem(node, `unknown anchor '${node.source}' referenced`);
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
      throw this.#problem(node, `exceeded max depth: ${this.#limits.depth} levels`, "value");
    }
    if (this.#following.size > 0) this.#count(node);
    if (isAlias(node)) return this.#follow(node, (target) => this.read(target, depth + 1));
    if (isSeq(node)) return (node as YAMLSeq<Node>).items.map((item) => this.read(item, depth + 1));
    if (isMap(node)) {
      const target: Target = { object: {}, seen: new Set() };
      this.#fill(node, target, depth);
      return target.object;
    }
    return this.#scalarValue(node);
  }

  #fill(map: YAMLMap<Node, Node>, target: Target, depth: number): void {
    for (const { key, value } of map.items) {
      if (this.#isMerge(key)) {
        this.#merge(value, target, depth + 1);
        continue;
      }
      const name = this.#key(key);
      const field = this.read(value, depth + 1);
      if (target.seen.has(name.shown)) this.#noteDuplicate(value ?? key, name.shown);
      target.seen.add(name.shown);
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

  #merge(node: Node, target: Target, depth: number): void {
    const { isAlias, isMap, isSeq } = this.#yaml;
    if (isSeq(node)) {
      // The first of several counts most, so it comes last.
      for (const item of (node as YAMLSeq<Node>).items.toReversed()) this.#mergeOne(item, target, depth + 1);
    } else if (isMap(node) || isAlias(node)) this.#mergeOne(node, target, depth);
    else throw this.#problem(node, "map merge requires map or sequence of maps as the value");
  }

  #mergeOne(node: Node, target: Target, depth: number): void {
    const { isAlias, isMap } = this.#yaml;
    if (depth > this.#limits.depth) {
      throw this.#problem(node, `exceeded max depth: ${this.#limits.depth} levels`, "value");
    }
    if (isMap(node)) this.#fill(node, target, depth);
    else if (isAlias(node) && isMap(this.#anchored.get(node))) {
      this.#follow(node, (map) => this.#mergeOne(map, target, depth + 1));
    } else throw this.#problem(node, "map merge requires map or sequence of maps as the value");
  }

  #follow<Value>(alias: Alias, read: (target: ParsedNode) => Value): Value {
    const target = this.#anchored.get(alias);
    if (target === undefined || this.#following.has(alias)) {
      throw this.#problem(alias as Alias.Parsed, `anchor '${alias.source}' value contains itself`);
    }
    this.#following.add(alias);
    const value = read(target);
    this.#following.delete(alias);
    return value;
  }

  /** Few bytes of aliases can stand for any amount of values, so what they add is counted. */
  #count(node: ParsedNode): void {
    this.#added += valueCost + (this.#yaml.isScalar(node) ? node.source.length : 0);
    if (this.#added > this.#limits.yamlAliases) {
      throw this.#problem(node, "document contains excessive aliasing", "value");
    }
  }

  #scalar(node: ParsedNode): Scalar {
    const { value, type, tag } = node as ScalarNode;
    const given = typeof value === "string" ? wellFormed(value) : "";
    // The parser ends a block with a line break even where the text ends without one.
    const text = node.range[1] === this.#openEnd && isBlock(type) ? given.replace(/\n$/, "") : given;
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

  /** What a key is called as a field, and how messages show it. */
  #key(node: Node): { field: string; shown: string } {
    const { isAlias, isScalar } = this.#yaml;
    if (isAlias(node)) return this.#follow(node, (target) => this.#key(target));
    if (!isScalar(node)) throw this.#problem(node, "invalid map key: only plain values can be keys");
    if (this.#following.size > 0) this.#count(node as ParsedNode);
    const scalar = this.#scalar(node as ParsedNode);
    this.#checkExact(node as ParsedNode, scalar);
    switch (scalar.type) {
      case "str":
        return { field: scalar.value, shown: JSON.stringify(scalar.value) };
      case "float":
        return { field: floatKey(scalar.value), shown: String(scalar.value) };
      case "null":
        throw this.#problem(node, "unsupported map key: null");
      default:
        return { field: String(scalar.value), shown: String(scalar.value) };
    }
  }

  #checkExact(node: ParsedNode, scalar: Scalar): void {
    if (scalar.type !== "int" || !scalar.inexact) return;
    throw inexactNumber(String((node as ScalarNode).source ?? scalar.value), this.#place(node));
  }

  #noteDuplicate(node: Node, key: string): void {
    if (this.duplicates.length >= maxDuplicates) return;
    const shown = key.length > 1000 ? `${key.slice(0, 1000)}…` : key;
    this.duplicates.push(`${this.#place(node)}: key ${shown} already set in map`);
  }

  #problem(node: Node, message: string, problem: "syntax" | "value" = "syntax"): DecodeError {
    return new DecodeError(problem, `yaml: ${this.#place(node)}: ${message}`);
  }

  #place(node: Node): string {
    return `line ${this.#lines.linePos(node?.range[0] ?? 0).line}`;
  }
}
