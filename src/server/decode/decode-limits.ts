/** How much a body may ask of the server, besides its size, which the wire layer bounds. */
export interface DecodeLimits {
  /** Levels of maps and lists in each other. Everything behind the decoder may walk an object by recursion. */
  readonly depth: number;
  /** The same while YAML is parsed, whose parser needs more of the stack for each level. */
  readonly yamlDepth: number;
  /** Words and signs of a YAML text. Its parser takes microseconds for each, and nothing else happens meanwhile. */
  readonly yamlTokens: number;
  /** How much the aliases of a YAML text may add: its characters, and 16 for each value. */
  readonly yamlAliases: number;
}

export const defaultLimits: DecodeLimits = {
  depth: 1000,
  yamlDepth: 200,
  yamlTokens: 1_000_000,
  yamlAliases: 3 * 1024 * 1024,
};
