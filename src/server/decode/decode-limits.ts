/**
 * Fields and list items of an object for each byte of its size limit. The time of all steps with an object depends on their number
 * rather than on its size, and steps such as parsing cannot be interrupted: of 1.5 MiB with 32,768 fields, each takes some 10 ms.
 */
const fieldsPerByte = 1 / 48;

const defaultMaxFields = 32_768;

/** Fields and list items that an object of a limited size may have; more than the default if larger objects are allowed. */
export function maxFieldsOf(maxObjectBytes: number): number {
  return Math.max(defaultMaxFields, Math.floor(maxObjectBytes * fieldsPerByte));
}

/** How expensive decoding YAML is, compared with JSON of the same size. */
export const yamlCost = 16;

/** Lets other requests be handled before the next step with a body, if its size, times a cost, makes that expensive. */
export type NextDecodingStep = (cost?: number) => Promise<void> | undefined;

/** Limits for decoding a body. The HTTP layer limits its size. */
export interface DecodeLimits {
  /** Nesting of maps and lists. Bounds the recursion of all code that walks an object. */
  readonly depth: number;
  /** Nesting of maps and lists in YAML, whose parser needs more stack per level. */
  readonly yamlDepth: number;
  /** Fields of all maps and items of all lists of a JSON body: as many as a stored object may have. */
  readonly fields: number;
  /** Characters of a YAML body that is not JSON. Parts of the parser cannot be interrupted, and take long for long scalars. */
  readonly yamlLength: number;
  /** Tokens of a YAML body. The parser takes microseconds for each and blocks the event loop. */
  readonly yamlTokens: number;
  /** Size that aliases in a YAML body may expand to: characters, plus 16 for each value. */
  readonly yamlAliases: number;
}

export const defaultDecodeLimits: DecodeLimits = {
  depth: 1000,
  yamlDepth: 200,
  fields: defaultMaxFields,
  yamlLength: 1024 * 1024,
  yamlTokens: 100_000,
  yamlAliases: 1024 * 1024,
};
