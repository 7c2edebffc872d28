/** Limits for decoding a body. The HTTP layer limits its size. */
export interface DecodeLimits {
  /** Nesting of maps and lists. Bounds the recursion of all code that walks an object. */
  readonly depth: number;
  /** Nesting of maps and lists in YAML, whose parser needs more stack per level. */
  readonly yamlDepth: number;
  /**
   * Fields of all maps of a JSON body. Objects with more exceed the size of a stored object, since each field takes up two dozen
   * bytes with its managedFields.
   */
  readonly fields: number;
  /** Tokens of a YAML body. The parser takes microseconds for each and blocks the event loop. */
  readonly yamlTokens: number;
  /** Size that aliases in a YAML body may expand to: characters, plus 16 for each value. */
  readonly yamlAliases: number;
}

export const defaultDecodeLimits: DecodeLimits = {
  depth: 1000,
  yamlDepth: 200,
  fields: 65_536,
  yamlTokens: 200_000,
  yamlAliases: 3 * 1024 * 1024,
};
