import type { KindInfo } from "../client/kinds/kind.js";
import { collectionPath, objectPath } from "../client/transport/http/paths.js";
import type {
  DeleteOptions,
  ListOptions,
  Patch,
  Scope,
  Selection,
  Subresource,
  WatchOptions,
} from "../client/transport/transport.js";
import { parseApiVersion, type Json } from "../model/core.js";
import { decodeBody, decodePatch } from "../server/decode/body.js";
import { PageNotFound } from "../server/http/page-not-found.js";
import { deleteOptionsOfBody } from "../server/http/request/delete-options.js";
import { decodePath, parseResourcePath, type ResourcePath } from "../server/http/request/path.js";
import type { Query } from "../server/http/request/query.js";
import type { Route } from "../server/http/verbs/route.js";
import type { Body, WriteOptions } from "../server/index.js";
import { jsonCopy } from "./json-copy.js";

/** What needs no escapes in a URL, and is none of its signs. */
const plain = /^[a-z0-9][a-z0-9.-]*$/;

/** What the path of a request would say; the detour over its text is made where that would matter. */
export function pathOf(
  kind: KindInfo,
  { name, namespace }: Scope & { readonly name?: string },
  subresource: Subresource | undefined,
): ResourcePath {
  const { plural, scope } = kind;
  const version = versionOf(kind);
  const isPlain =
    version !== undefined &&
    (name === undefined || plain.test(name)) &&
    (scope === "Cluster" || (namespace === undefined ? name === undefined : plain.test(namespace)));
  if (isPlain) {
    const { group, version: number } = version;
    const within = scope === "Cluster" ? undefined : namespace;
    return { group, version: number, resource: plural, namespace: within, name, subresource, watch: false };
  }
  const path =
    name === undefined
      ? collectionPath(kind, { namespace })
      : objectPath(kind, { name, namespace }, subresource);
  const parsed = parseResourcePath(decodePath(path));
  if (parsed === undefined) throw new PageNotFound();
  return parsed;
}

const versions = new WeakMap<KindInfo, ReturnType<typeof parseApiVersion>>();

/** Group and version of a kind, if it has what can be one. */
function versionOf(kind: KindInfo): ReturnType<typeof parseApiVersion> {
  const known = versions.get(kind);
  if (known !== undefined) return known;
  const version = parseApiVersion(kind.apiVersion);
  if (version === undefined || version.version === "") return undefined;
  versions.set(kind, version);
  return version;
}

/** Options as a query has them, so that they are read, checked and refused in the same place. */
export function queryOf(
  ...options: readonly Readonly<Record<string, string | number | boolean | undefined>>[]
): Query {
  const query = new Map<string, readonly string[]>();
  for (const part of options) {
    for (const [name, value] of Object.entries(part)) {
      if (value !== undefined && value !== "") query.set(name, [String(value)]);
    }
  }
  return query;
}

export function selectionIn({ labelSelector, fieldSelector }: Selection): Record<string, string | undefined> {
  return { labelSelector, fieldSelector };
}

export function pagingIn(options: ListOptions): Record<string, string | number | undefined> {
  const { limit, resourceVersion, resourceVersionMatch } = options;
  return { limit, continue: options.continue, resourceVersion, resourceVersionMatch };
}

export function watchingIn(options: WatchOptions): Record<string, string | number | boolean | undefined> {
  const { resourceVersion, resourceVersionMatch, sendInitialEvents, allowWatchBookmarks, timeoutSeconds } =
    options;
  return { resourceVersion, resourceVersionMatch, sendInitialEvents, allowWatchBookmarks, timeoutSeconds };
}

export function deletingIn(options: DeleteOptions): ReturnType<typeof deleteOptionsOfBody> {
  const { propagationPolicy, gracePeriodSeconds, preconditions, dryRun } = options;
  const asked = {
    propagationPolicy,
    gracePeriodSeconds,
    preconditions,
    dryRun: dryRun ? ["All"] : undefined,
  };
  return deleteOptionsOfBody(jsonCopy(asked));
}

/** A Scale is a built-in kind, whatever it scales. */
const scaleType = { kind: "Scale", capabilities: { protobuf: true, strategicMerge: false } };

/** What is sent with a create or update. */
export function contentOf(
  { type, subresource }: Route,
  body: unknown,
  { fieldValidation }: WriteOptions,
): Body | Promise<Body> {
  const object = jsonCopy(body);
  if (isMap(object)) return { object, fresh: true };
  const expected = subresource === "scale" ? scaleType : type;
  return decodeBody(Buffer.from(JSON.stringify(object)), "application/json", {
    type: expected,
    fieldValidation,
  });
}

const patchTypes: Readonly<Record<Patch["type"], string>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

interface SentPatch {
  readonly type: Patch["type"];
  readonly body: Body;
}

/** What a patch says. JSON Patches are checked by the decoder, and so is all that it would refuse. */
export function patchOf(
  { type }: Route,
  patch: Patch,
  { fieldValidation }: WriteOptions,
): SentPatch | Promise<SentPatch> {
  const object = jsonCopy(patch.body);
  const usual = patch.type === "strategic" ? type.capabilities.strategicMerge : patch.type !== "json";
  if (usual && isMap(object)) return { type: patch.type, body: { object, fresh: true } };
  return decodePatch(Buffer.from(JSON.stringify(object)), patchTypes[patch.type], { type, fieldValidation });
}

function isMap(value: Json): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
