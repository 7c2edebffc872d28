import { getOwn, type JsonObject } from "../../object/json.js";
import { noSuchOverload, CelUint, type CelValue } from "./value.js";

/** Map. */
export interface CelMap {
  readonly isMap: true;
  readonly size: number;
  keys(): CelValue[];
  /** Value of a key; undefined if it is missing. */
  find(key: CelValue): CelValue | undefined;
  /** JSON of the map, for comparing undeclared fields. */
  readonly raw?: JsonObject;
  isDescribed?(key: string): boolean;
}

export function isMap(value: CelValue): value is CelMap {
  return typeof value === "object" && value !== null && "isMap" in value;
}

/** Canonical string of a key: 1, 1u and 1.0 are the same key. */
export function keyText(key: CelValue): string | undefined {
  switch (typeof key) {
    case "string":
      return `"${key}`;
    case "boolean":
    case "bigint":
      return String(key);
    case "number":
      return Number.isInteger(key) ? BigInt(key).toString() : `d${key}`;
    default:
      return key instanceof CelUint ? key.value.toString() : undefined;
  }
}

/** Map created by an expression. */
export class LiteralMap implements CelMap {
  readonly isMap = true;
  private readonly entries: ReadonlyMap<string, readonly [CelValue, CelValue]>;

  constructor(entries: ReadonlyMap<string, readonly [CelValue, CelValue]>) {
    this.entries = entries;
  }

  get size(): number {
    return this.entries.size;
  }

  keys(): CelValue[] {
    return Array.from(this.entries.values(), ([key]) => key);
  }

  find(key: CelValue): CelValue | undefined {
    const text = keyText(key);
    if (text === undefined) return undefined;
    return this.entries.get(text)?.[1];
  }
}

export function renderKey(key: CelValue): string {
  if (typeof key === "string") return key;
  return keyText(key)?.replace(/^d/, "") ?? "";
}

/** Object or map of an API object, whose values are converted on demand. */
export class SchemaMap implements CelMap {
  readonly isMap = true;
  private readonly converted = new Map<string, CelValue>();

  constructor(
    readonly raw: JsonObject,
    /** Converts the value of a key; undefined if it is undeclared. */
    private readonly make: (key: string, value: unknown) => CelValue | undefined,
    /** Name mapping for objects: fields are escaped in expressions. */
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

  keys(): CelValue[] {
    return Object.keys(this.raw)
      .filter((key) => this.isDescribed(key))
      .map((key) => this.names?.escape(key) ?? key);
  }

  isDescribed(key: string): boolean {
    return this.field(key) !== undefined;
  }

  find(key: CelValue): CelValue | undefined {
    if (typeof key !== "string") return noSuchOverload();
    const name = this.names ? this.names.unescape(key) : key;
    if (name === undefined) return undefined;
    // Null fields of objects count as missing.
    if (this.names && getOwn(this.raw, name) === null) return undefined;
    return this.field(name);
  }

  field(name: string): CelValue | undefined {
    const cached = this.converted.get(name);
    if (cached !== undefined) return cached;
    const value = getOwn(this.raw, name);
    const converted = value === undefined ? undefined : this.make(name, value);
    if (converted !== undefined) this.converted.set(name, converted);
    return converted;
  }
}
