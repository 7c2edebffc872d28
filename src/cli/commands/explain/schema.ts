import type { HttpTransport } from "../../../client/transport/http/http-transport.js";
import type { ServedKind } from "../../server/served-kinds.js";

/** OpenAPI v3 schema, as far as it is explained. */
export interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-group-version-kind"?: readonly {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }[];
}

/** The schemas of a group and version, and where that of a kind is. */
export interface GroupSchemas {
  readonly root: Schema;
  /** Replaces a reference by its target; the descriptions of both are kept. */
  resolve(schema: Schema): Schema;
}

/** Fetches the schemas of a kind from the server. */
export async function schemasOf(
  transport: HttpTransport,
  { group, version, kind }: ServedKind,
  signal: AbortSignal,
): Promise<GroupSchemas> {
  const index = (await transport.document("/openapi/v3", { signal })) as {
    paths?: Readonly<Record<string, { readonly serverRelativeURL?: string }>>;
  };
  const key = group === "" ? `api/${version}` : `apis/${group}/${version}`;
  const address = index.paths?.[key]?.serverRelativeURL;
  const missing = (): Error =>
    new Error(
      `the server publishes no schema for ${kind} in ${group === "" ? version : `${group}/${version}`}`,
    );
  if (address === undefined) throw missing();
  const [path = "", query = ""] = address.split("?");
  const document = (await transport.document(path, {
    query: Object.fromEntries(new URLSearchParams(query)),
    signal,
  })) as { components?: { schemas?: Readonly<Record<string, Schema>> } };
  const schemas = document.components?.schemas ?? {};
  const root = Object.values(schemas).find((schema) =>
    schema["x-kubernetes-group-version-kind"]?.some(
      (each) => each.group === group && each.version === version && each.kind === kind,
    ),
  );
  if (root === undefined) throw missing();
  return { root, resolve: (schema) => resolve(schema, schemas) };
}

function resolve(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  const parts = [...(schema.allOf ?? []), ...(schema.$ref === undefined ? [] : [{ $ref: schema.$ref }])];
  if (parts.length === 0) return schema;
  const { allOf: _, $ref: _ref, ...own } = schema;
  const targets = parts.map((part) => (part.$ref === undefined ? part : (schemas[refName(part.$ref)] ?? {})));
  const resolved = targets.map((target) => resolve(target, schemas));
  return Object.assign({}, ...resolved.toReversed(), own) as Schema;
}

function refName(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}

/** Name of the type that a schema refers to, such as `PodSpec`. */
export function typeName({ $ref, allOf = [] }: Schema): string | undefined {
  const ref = $ref ?? allOf.find((part) => part.$ref !== undefined)?.$ref;
  return ref === undefined ? undefined : ref.slice(ref.lastIndexOf(".") + 1);
}
