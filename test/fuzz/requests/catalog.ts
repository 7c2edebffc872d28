import type { JsonObject } from "../../../src/model/core.js";
import type { OpenApiSchema } from "./schema-values.js";

/** Served kind, from discovery. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
  readonly schema: OpenApiSchema | undefined;
}

/** Everything that a server serves, according to its own documents: new endpoints are covered without a change here. */
export interface Catalog {
  readonly resources: readonly Resource[];
  /** Paths without a resource. */
  readonly documents: readonly string[];
  /** Schemas by their reference. */
  readonly schemas: ReadonlyMap<string, OpenApiSchema>;
}

interface Listed {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

type Read = (path: string) => Promise<JsonObject>;

/** Reads the catalog of a server. */
export async function readCatalog(read: Read): Promise<Catalog> {
  const { paths } = (await read("/")) as { paths: string[] };
  const schemas = new Map<string, OpenApiSchema>();
  const resources: Resource[] = [];
  const documents = [...paths];
  const index = (await read("/openapi/v3")) as { paths: Record<string, { serverRelativeURL: string }> };
  for (const { serverRelativeURL } of Object.values(index.paths)) {
    documents.push(serverRelativeURL, serverRelativeURL.replace(/\?.*/, ""));
    const document = (await read(serverRelativeURL)) as {
      components?: { schemas?: Record<string, OpenApiSchema> };
    };
    for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
      schemas.set(`#/components/schemas/${name}`, schema);
    }
  }
  for (const path of paths.filter((each) => /^\/api\/[^/]+$|^\/apis\/[^/]+\/[^/]+$/.test(each))) {
    const parts = path.split("/");
    const [group = "", version = ""] = parts[1] === "api" ? ["", parts[2]] : [parts[2], parts[3]];
    const { resources: listed } = (await read(path)) as unknown as { resources: Listed[] };
    for (const { name: plural, kind, namespaced, verbs } of listed) {
      if (plural.includes("/")) continue;
      const prefix = `${plural}/`;
      const subresources = listed.map(({ name }) => name).filter((name) => name.startsWith(prefix));
      resources.push({
        group,
        version,
        plural,
        kind,
        namespaced,
        verbs,
        subresources: subresources.map((name) => name.slice(prefix.length)),
        schema: schemaOf(schemas, group, version, kind),
      });
    }
  }
  return { resources, documents, schemas };
}

function schemaOf(
  schemas: ReadonlyMap<string, OpenApiSchema>,
  group: string,
  version: string,
  kind: string,
): OpenApiSchema | undefined {
  for (const schema of schemas.values()) {
    const kinds = schema["x-kubernetes-group-version-kind"] ?? [];
    if (kinds.some((each) => each.group === group && each.version === version && each.kind === kind)) {
      return schema;
    }
  }
  return undefined;
}

/** Family of a kind in the coverage. */
export function familyOf({ group, plural }: Pick<Resource, "group" | "plural">): string {
  if (plural === "customresourcedefinitions") return "definitions";
  if (plural === "namespaces") return "namespaces";
  if (group === "") return "core";
  return group.endsWith(".dev") ? "custom" : (group.split(".")[0] ?? group);
}
