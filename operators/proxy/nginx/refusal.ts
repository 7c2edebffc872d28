import { isIP } from "node:net";
import { originKey, type Origin } from "../translate/configuration.js";

/** A value that has no form in the configuration of nginx, or that would mean something else there. */
export class RefusedValue extends Error {
  override readonly name = "RefusedValue";
  /** Object with the value; undefined if it comes from the settings or from our own code. */
  readonly origin: Origin | undefined;
  /** Further refusals of the same rendering. */
  others: readonly RefusedValue[] = [];

  constructor(problem: string, origin: Origin | undefined) {
    super(origin === undefined ? problem : `${describe(origin)}: ${problem}`);
    this.origin = origin;
  }
}

/**
 * Refusals of one rendering. All are collected, so that one pass finds every object with such a value: each pass takes long where there
 * are many objects.
 */
export class Refusals {
  readonly #found: RefusedValue[] = [];

  /** Calls a function, and notes the value that it refuses; the result is undefined then. */
  collect<T>(render: () => T): T | undefined {
    try {
      return render();
    } catch (error) {
      if (!(error instanceof RefusedValue)) throw error;
      this.#found.push(error);
      return undefined;
    }
  }

  /** Throws the first refusal, with the others, if there is any. */
  check(): void {
    const [first, ...others] = this.#found;
    if (first === undefined) return;
    first.others = others;
    throw first;
  }
}

function describe(origin: Origin): string {
  return origin.part === undefined ? originKey(origin) : `${originKey(origin)}, ${origin.part}`;
}

const maxQuoted = 80;

/** Value for an error message: in JSON, so that all characters are visible, and not longer than a line. */
export function quote(value: string): string {
  const json = JSON.stringify(value);
  return json.length <= maxQuoted ? json : `${json.slice(0, maxQuoted)}…`;
}

const name = /^[A-Za-z0-9._-]{1,255}$/;
const hostname = /^(?:\*\.)?[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,251}[A-Za-z0-9_])?$/;
const headerName = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]{1,256}$/;

/** Returns a name of ours, such as that of an upstream; refuses other characters than letters, digits, `.`, `-` and `_`. */
export function checkedName(value: string, origin: Origin | undefined): string {
  if (name.test(value)) return value;
  throw new RefusedValue(
    `the name ${quote(value)} has other characters than letters, digits, ".", "-" and "_"`,
    origin,
  );
}

export function checkedHostname(value: string, origin: Origin): string {
  if (hostname.test(value)) return value;
  throw new RefusedValue(`${quote(value)} is not a host name, nor "*." and a host name`, origin);
}

export function checkedHeaderName(value: string, origin: Origin): string {
  if (headerName.test(value)) return value;
  throw new RefusedValue(`${quote(value)} is not the name of a header`, origin);
}

/** Returns an IP address as nginx writes it before a port. */
export function checkedAddress(value: string, origin: Origin | undefined): string {
  const version = value.includes("%") ? 0 : isIP(value);
  if (version === 0) throw new RefusedValue(`${quote(value)} is not an IP address`, origin);
  return version === 6 ? `[${value}]` : value;
}

/** Returns a whole number; refuses one outside of the limits. */
export function checkedNumber(
  value: number,
  min: number,
  max: number,
  what: string,
  origin: Origin | undefined,
): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new RefusedValue(`${what} is ${value}; it must be a whole number from ${min} to ${max}`, origin);
}
