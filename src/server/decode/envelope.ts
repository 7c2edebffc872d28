import { failures, fieldErrors, type Json, type JsonObject } from "../../model/core.js";
import { isJsonObject } from "../../model/object/json.js";
import { quote } from "../../model/object/quote.js";
import {
  apiVersionOf,
  type Capabilities,
  type Draft,
  type ResourceType,
} from "../resources/resource-type.js";

/** Namespace and name in the URL of a request. */
export interface Address {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** Parts of a ResourceType that {@link checkEnvelope} depends on. */
export interface EnvelopeType extends Pick<
  ResourceType,
  "group" | "version" | "kind" | "plural" | "namespaced"
> {
  readonly capabilities: Pick<Capabilities, "decoding">;
}

/** Length at which quoted values are cut off. */
const maxQuoteLength = 1000;

/**
 * Checks that a body is an object of this kind for this address, with Kubernetes' error messages. Objects of built-in kinds
 * may omit apiVersion and kind, those of custom kinds may not.
 *
 * @returns the object with apiVersion, kind, and metadata with the request's namespace. The object and its metadata are
 * copies, everything below is shared with the body.
 * @throws {ApiError} 400; 422 for a custom object of another kind.
 */
export function checkEnvelope(type: EnvelopeType, body: Json, address: Address): Draft {
  if (!isJsonObject(body)) {
    throw failures.badRequest(
      `the object provided is unrecognized (must be of type ${type.kind}): it is not an object`,
    );
  }
  const kind = checkKind(type, body);
  const metadata = metadataIn(type, body);
  checkNamespace(type, metadata, address);
  if (address.name !== undefined) checkName(metadata, address.name);
  const { apiVersion: _, kind: __, metadata: ___, ...rest } = body;
  return { apiVersion: apiVersionOf(type), kind, metadata, ...rest };
}

function checkKind(type: EnvelopeType, body: JsonObject): string {
  const kind = stringField(body, "kind", ".kind", type);
  const apiVersion = stringField(body, "apiVersion", ".apiVersion", type);
  const expected = apiVersionOf(type);
  if (kind === "" && !isTyped(type)) {
    const excerpt = shortened(JSON.stringify(body), maxQuoteLength);
    throw failures.badRequest(
      `the object provided is unrecognized (must be of type ${type.kind}): Object 'Kind' is missing in '${excerpt}' (${shortened(excerpt, 30)})`,
    );
  }
  if (apiVersion !== expected && apiVersion.split("/").length > 2) {
    throw unrecognized(type, `unexpected GroupVersion string: ${shortened(apiVersion, maxQuoteLength)}`);
  }
  if (apiVersion !== expected && (apiVersion !== "" || !isTyped(type))) {
    throw failures.badRequest(
      `the API version in the data (${shortened(apiVersion, maxQuoteLength)}) does not match the expected API version (${expected})`,
    );
  }
  if (kind !== "" && kind !== type.kind) throw wrongKind(type, shortened(kind, maxQuoteLength), body);
  return type.kind;
}

function isTyped({ capabilities }: EnvelopeType): boolean {
  return capabilities.decoding === "typed";
}

function wrongKind(type: EnvelopeType, kind: string, body: JsonObject): Error {
  const { group, version } = type;
  if (isTyped(type)) {
    return failures.badRequest(
      `${kind} in version ${quote(version)} cannot be handled as a ${type.kind}: converting (${version}.${kind}) to (${version}.${type.kind}): unknown conversion`,
    );
  }
  const { metadata } = body;
  const name = isJsonObject(metadata) && typeof metadata["name"] === "string" ? metadata["name"] : "";
  return failures.invalid({ group, kind }, name, [fieldErrors.invalid("kind", kind, `must be ${type.kind}`)]);
}

function metadataIn(type: EnvelopeType, body: JsonObject): Draft["metadata"] {
  const metadata = Object.hasOwn(body, "metadata") ? body["metadata"] : undefined;
  if (metadata === undefined || metadata === null) return {};
  if (!isJsonObject(metadata)) throw wrongType(type, metadata, `${type.kind}.metadata`, "v1.ObjectMeta");
  for (const field of ["name", "generateName", "namespace"]) {
    stringField(metadata, field, `ObjectMeta.metadata.${field}`, type);
  }
  return { ...metadata };
}

/** Removes the namespace of cluster-scoped objects; sets the request's on all others. */
function checkNamespace(type: EnvelopeType, metadata: Draft["metadata"], { namespace = "" }: Address): void {
  const expected = type.namespaced ? namespace : "";
  const actual: unknown = metadata["namespace"] ?? "";
  if (actual === expected) return;
  if (expected === "") delete metadata["namespace"];
  else if (actual === "") metadata["namespace"] = expected;
  else {
    throw failures.badRequest(
      "the namespace of the provided object does not match the namespace sent on the request",
    );
  }
}

function checkName(metadata: Draft["metadata"], expected: string): void {
  const name: unknown = metadata["name"] ?? "";
  if (name === "") {
    throw failures.badRequest(
      `the name of the object (${expected} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (name !== expected) {
    throw failures.badRequest(
      `the name of the object (${shortened(String(name), maxQuoteLength)}) does not match the name on the URL (${expected})`,
    );
  }
}

/** Value of a string field; an empty string if it is missing or null. */
function stringField(object: JsonObject, name: string, path: string, type: EnvelopeType): string {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  throw wrongType(type, value, path, "string");
}

function wrongType(type: EnvelopeType, value: Json, path: string, expected: string): Error {
  const found = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return unrecognized(
    type,
    `json: cannot unmarshal ${found} into Go struct field ${path} of type ${expected}`,
  );
}

function unrecognized({ kind, version }: EnvelopeType, problem: string): Error {
  return failures.badRequest(
    `${kind} in version ${quote(version)} cannot be handled as a ${kind}: ${problem}`,
  );
}

function shortened(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)} ...` : text;
}
