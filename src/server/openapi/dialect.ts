/** Which OpenAPI a document is written in. */
export interface Dialect {
  readonly version: 2 | 3;
  /** What stands before a type's name in a reference to it. */
  readonly refPrefix: string;
}

export const v2: Dialect = { version: 2, refPrefix: "#/definitions/" };
export const v3: Dialect = { version: 3, refPrefix: "#/components/schemas/" };
