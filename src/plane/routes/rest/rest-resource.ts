import type { Client } from "../../../client/client.js";
import type { DraftOf, ObjectOf } from "../../../client/kinds/kind.js";
import type { Json, KubeObject } from "../../../model/core.js";
import { isJsonObject } from "../../../model/object/json.js";
import type { Resource } from "../../../model/resource/resource-types.js";

/** An object in the REST API: any JSON object with an `id`. */
export type RestDocument = Readonly<Record<string, unknown>>;

/** Method of the REST API. */
export type RestMethod = "GET" | "POST" | "PUT" | "DELETE";

/** A read-only view of an object, at `/PATH/ID/NAME`. */
export interface RestView<K extends Resource = Resource> {
  readonly description?: string | undefined;
  /** JSON to show; undefined responds with 404. */
  get(object: ObjectOf<K>, context: { readonly client: Client; readonly signal: AbortSignal }): unknown;
  /** JSON schema of the result, for the OpenAPI document. */
  readonly schema?: Readonly<Record<string, unknown>> | undefined;
}

/** Options of {@link restResource}. */
export interface RestResourceOptions<K extends Resource> {
  /** Path of the collection, without slashes at its ends: `backends`. Items are at `backends/ID`, where the id is the object's name. */
  readonly path: string;
  readonly kind: K;
  /** Namespace of the objects. Default: the parameter `namespace` of a request, then the default namespace. */
  readonly namespace?: string | undefined;
  /** Methods of the collection and of items. Default: all. */
  readonly methods?: readonly RestMethod[] | undefined;
  readonly description?: string | undefined;
  /** Document of an object. Default: `id`, the fields of the spec, and `status`. */
  readonly toResource?: ((object: ObjectOf<K>) => RestDocument) | undefined;
  /**
   * Object of a document, without its name: the spec, which replaces that of an existing object, and labels or annotations, which are
   * merged with its own; null removes one. Errors are reported as 422. Default: all fields but `id` and `status` are the spec.
   */
  readonly toObject?: ((document: RestDocument) => Omit<DraftOf<K>, "metadata"> & RestMetadata) | undefined;
  /** Field of the document for a field of the object, in errors. Default: without `spec.`. */
  readonly toField?: ((field: string) => string) | undefined;
  /** JSON schema of documents, for the OpenAPI document. Default: that of the spec; needed with a `toResource` of your own. */
  readonly schema?: Readonly<Record<string, unknown>> | undefined;
  /** Read-only views of an item, by their names: `health` is served at `/backends/ID/health`. */
  readonly views?: Readonly<Record<string, RestView<K>["get"] | RestView<K>>> | undefined;
}

export interface RestMetadata {
  readonly metadata?:
    | {
        readonly labels?: Readonly<Record<string, string | null>> | undefined;
        readonly annotations?: Readonly<Record<string, string | null>> | undefined;
      }
    | undefined;
}

/** Part of the REST API: a kind at a path. Made by {@link restResource}. */
export interface RestResource {
  readonly path: string;
  readonly kind: Resource;
  readonly namespace: string | undefined;
  readonly methods: readonly RestMethod[];
  readonly description: string | undefined;
  readonly schema: Readonly<Record<string, unknown>> | undefined;
  readonly views: ReadonlyMap<string, RestView>;
  readonly toResource: (object: KubeObject) => RestDocument;
  readonly toObject: (document: RestDocument) => Readonly<Record<string, unknown>> & RestMetadata;
  readonly toField: (field: string) => string;
}

const allMethods: readonly RestMethod[] = ["GET", "POST", "PUT", "DELETE"];
const pathPattern = /^[a-z0-9][a-z0-9_-]*$/;
/** Paths that the REST API has itself. */
const reserved = new Set(["control", "openapi.json"]);

/**
 * Serves the objects of a kind at a path of the REST API.
 *
 * @example
 * defineOperator({
 *   name: "proxy",
 *   kinds: [Backend],
 *   rest: [
 *     restResource({ path: "backends", kind: Backend, views: { health: (backend) => ({ status: backend.status?.health }) } }),
 *   ],
 * });
 *
 * @throws {RangeError} for a path or method that cannot be served.
 */
export function restResource<const K extends Resource>(options: RestResourceOptions<K>): RestResource {
  const { path, kind, namespace, methods = allMethods, description, schema, views = {} } = options;
  if (!pathPattern.test(path) || reserved.has(path)) {
    throw new RangeError(
      `${JSON.stringify(path)} is not a path of the REST API: use lower-case letters, digits, - and _, such as backends; control is taken`,
    );
  }
  const wrong = methods.find((method) => !allMethods.includes(method));
  if (wrong !== undefined || methods.length === 0) {
    throw new RangeError(
      `/${path}: methods must be some of ${allMethods.join(", ")}, not ${wrong ?? "none"}`,
    );
  }
  for (const name of Object.keys(views)) {
    if (!pathPattern.test(name))
      throw new RangeError(
        `/${path}: ${JSON.stringify(name)} is not a name for a view: use letters, digits and -`,
      );
  }
  const { toResource = defaultDocument, toObject = defaultObject, toField = defaultField } = options;
  return {
    path,
    kind,
    namespace,
    methods,
    description,
    schema,
    views: new Map(
      Object.entries(views).map(([name, view]) => [
        name,
        (typeof view === "function" ? { get: view } : view) as RestView,
      ]),
    ),
    // Objects have been read as this kind.
    toResource: (object) => toResource(object as ObjectOf<K>),
    toObject: (document) => toObject(document),
    toField,
  };
}

function defaultDocument(object: KubeObject): RestDocument {
  const { metadata, spec, status } = object as KubeObject & { readonly spec?: Json; readonly status?: Json };
  const { name, namespace } = metadata;
  return {
    id: name,
    ...(namespace !== undefined && namespace !== "default" && { namespace }),
    ...(isJsonObject(spec) && spec),
    ...(status !== undefined && { status }),
  };
}

function defaultObject(document: RestDocument): never {
  const { id: _, namespace: _namespace, status: _status, ...spec } = document;
  return { spec } as never;
}

function defaultField(field: string): string {
  return field.replace(/^spec\./, "");
}
