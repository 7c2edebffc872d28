import { documentInSteps, documentOf, type Document, type DocumentSteps } from "../discovery/document.js";
import { findGroupVersion, groupsOf } from "../discovery/groups.js";
import type { ResourceType } from "../resources/resource-type.js";
import { info, securitySchemes } from "./info.js";
import { codeNames, consumes, produces } from "./operations.js";
import type { Parameter } from "./parameters.js";
import { routesOf, type Route, type RoutedOperation } from "./routes.js";
import { Schemas, type Published } from "./schemas.js";

/**
 * `/openapi/v3`: URLs of the documents of all group versions. The URLs contain the documents' hashes, so clients can
 * cache a document until its URL changes.
 */
export function* openApiV3Index(types: readonly ResourceType[]): DocumentSteps<Document> {
  const paths: Record<string, { serverRelativeURL: string }> = {};
  for (const { name, versions } of groupsOf(types)) {
    for (const { version, types: served } of versions) {
      if (served.length === 0) continue;
      const serverRelativeURL = openApiV3Url(name, version, yield* hashOfDocument(served));
      paths[openApiV3Path(name, version)] = { serverRelativeURL };
    }
  }
  return documentOf({ paths });
}

/** `/openapi/v3/api/v1` and `/openapi/v3/apis/GROUP/VERSION`; undefined when nothing is served there. */
export function* openApiV3(
  types: readonly ResourceType[],
  group: string,
  version: string,
): DocumentSteps<Document<readonly Buffer[]> | undefined> {
  const served = findGroupVersion(types, group, version);
  return served && served.length > 0 ? yield* buildDocument(served) : undefined;
}

/** Path of a document, relative to `/openapi/v3/`. */
function openApiV3Path(group: string, version: string): string {
  return group === "" ? `api/${version}` : `apis/${group}/${version}`;
}

/** URL of the document with this hash. */
export function openApiV3Url(group: string, version: string, hash: string): string {
  return `/openapi/v3/${openApiV3Path(group, version)}?hash=${hash}`;
}

/** Hashes of documents, cached by the first of their kinds and valid while all kinds are the same. */
const hashes = new WeakMap<
  ResourceType,
  { readonly types: readonly ResourceType[]; readonly hash: string }
>();

function* hashOfDocument(types: readonly ResourceType[]): DocumentSteps<string> {
  const [first] = types;
  const cached = first && hashes.get(first);
  if (cached && sameTypes(cached.types, types)) return cached.hash;
  return (yield* buildDocument(types)).hash;
}

function sameTypes(left: readonly ResourceType[], right: readonly ResourceType[]): boolean {
  return left.length === right.length && left.every((type, index) => type === right[index]);
}

function* buildDocument(types: readonly ResourceType[]): DocumentSteps<Document<readonly Buffer[]>> {
  // The paths define the schemas that they refer to.
  const schemas = new Schemas(3);
  const document = yield* documentInSteps({
    openapi: "3.0.0",
    info,
    paths: function* () {
      for (const type of types) {
        for (const route of routesOf(type)) yield [route.path, pathItem(type, route, schemas)];
      }
    },
    components: function* () {
      yield ["schemas", () => schemas.all];
      yield ["securitySchemes", securitySchemes];
    },
  });
  const [first] = types;
  if (first) hashes.set(first, { types, hash: document.hash });
  return document;
}

function pathItem(type: ResourceType, { parameters, operations }: Route, schemas: Schemas): Published {
  return {
    parameters: parameters.map(asParameter),
    ...Object.fromEntries(
      operations.map((operation) => [operation.method, asOperation(type, operation, schemas)]),
    ),
  };
}

function asOperation(type: ResourceType, operation: RoutedOperation, schemas: Schemas): Published {
  const { id, tag, description, parameters, body, answer, codes, action, kind } = operation;
  const answered = content(produces(answer), schemas.refTo(answer, type));
  return {
    tags: [tag],
    description,
    operationId: id,
    // Inlined: kubectl looks for `fieldValidation` here and does not resolve references.
    parameters: parameters.map(asParameter),
    ...(body && {
      requestBody: {
        content: content(consumes(type, body.model), schemas.refTo(body.model, type)),
        ...(body.required && { required: true }),
      },
    }),
    responses: Object.fromEntries(
      codes.map((code) => [
        code,
        { description: codeNames[code], ...(code !== 401 && { content: answered }) },
      ]),
    ),
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": kind,
  };
}

function content(mediaTypes: readonly string[], schema: Published): Published {
  return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }]));
}

/** Published parameters, shared by all kinds. */
const publishedParameters = new Map<Parameter, Published>();

function asParameter(parameter: Parameter): Published {
  let published = publishedParameters.get(parameter);
  if (!published) {
    const { name, in: place, type, description } = parameter;
    const required = place === "path" && { required: true };
    published = { name, in: place, description, ...required, schema: { type, uniqueItems: true } };
    publishedParameters.set(parameter, published);
  }
  return published;
}
