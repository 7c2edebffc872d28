import { getOwn, type JsonObject } from "../../object/json.js";
import { noSuchOverload, Uint, type Value } from "./value.js";

/** Values by keys. */
export interface CelMap {
  readonly isMap: true;
  readonly size: number;
  keys(): Value[];
  /** The value of a key; undefined when there is none. */
  find(key: Value): Value | undefined;
  /** What a comparison needs to know about what the schema does not describe. */
  readonly raw?: JsonObject;
  isDescribed?(key: string): boolean;
}

export function isMap(value: Value): value is CelMap {
  return typeof value === "object" && value !== null && "isMap" in value;
}

/** Keys that are equal have the same text: 1, 1u and 1.0 are one key. */
export function keyText(key: Value): string | undefined {
  switch (typeof key) {
    case "string":
      return `"${key}`;
    case "boolean":
    case "bigint":
      return String(key);
    case "number":
      return Number.isInteger(key) ? BigInt(key).toString() : `d${key}`;
    default:
      return key instanceof Uint ? key.value.toString() : undefined;
  }
}

/** A map that an expression made. */
export class LiteralMap implements CelMap {
  readonly isMap = true;
  private readonly entries: ReadonlyMap<string, readonly [Value, Value]>;

  constructor(entries: ReadonlyMap<string, readonly [Value, Value]>) {
    this.entries = entries;
  }

  get size(): number {
    return this.entries.size;
  }

  keys(): Value[] {
    return Array.from(this.entries.values(), ([key]) => key);
  }

  find(key: Value): Value | undefined {
    const text = keyText(key);
    if (text === undefined) return undefined;
    return this.entries.get(text)?.[1];
  }
}

export function shownKey(key: Value): string {
  if (typeof key === "string") return key;
  return keyText(key)?.replace(/^d/, "") ?? "";
}

/** An object of a schema, or a map of one. */
export class SchemaMap implements CelMap {
  readonly isMap = true;
  private readonly made = new Map<string, Value>();

  constructor(
    readonly raw: JsonObject,
    /** Makes the value of a key; undefined when the schema does not describe it. */
    private readonly make: (key: string, value: unknown) => Value | undefined,
    /** For objects: how expressions write a field, and what field they mean by it. */
    private readonly names:
      | {
          escape(name: string): string | undefined;
          unescape(name: string): string | undefined;
        }
      | undefined,
  ) {}

  get size(): number {
    return Object.keys(this.raw).length;
  }

  keys(): Value[] {
    return Object.keys(this.raw)
      .filter((key) => this.isDescribed(key))
      .map((key) => this.names?.escape(key) ?? key);
  }

  isDescribed(key: string): boolean {
    return this.field(key) !== undefined;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== "string") return noSuchOverload();
    const name = this.names ? this.names.unescape(key) : key;
    if (name === undefined) return undefined;
    // Among the fields of an object, null is as good as missing.
    if (this.names && getOwn(this.raw, name) === null) return undefined;
    return this.field(name);
  }

  field(name: string): Value | undefined {
    const known = this.made.get(name);
    if (known !== undefined) return known;
    const value = getOwn(this.raw, name);
    const made = value === undefined ? undefined : this.make(name, value);
    if (made !== undefined) this.made.set(name, made);
    return made;
  }
}
