import type { SpecInput } from "fettle";
import { fromStatus, type ApiError } from "fettle/model";
import type { RestDocument, RestMetadata } from "fettle/plane";
import { defaultClass, type ProxyConfig, type ProxyConfigObject } from "../kinds/proxy.js";

/** Annotations of a configuration that are fields of its document. */
const annotationFields = { priority: "fettle.dev/priority", type: "fettle.dev/change-type" } as const;
const priorities = ["critical", "high", "normal", "low"];
const specFields = new Set(["className", "hostnames", "listen", "routes", "tls"]);
/** Fields that are shown, and ignored when a document is written. */
const shownFields = new Set(["id", "status"]);

type Fields = Readonly<Record<string, unknown>>;

/** Spec and annotations of a document. The API checks the values. */
export type ConfigContent = { readonly spec: SpecInput<typeof ProxyConfig> } & RestMetadata;

/** Document of a configuration, as the REST API and events have it. */
export function toConfigDocument({ metadata, spec, status }: ProxyConfigObject): RestDocument {
  const { className, hostnames, listen, routes, tls } = spec;
  const { annotations = {} } = metadata;
  const priority = annotations[annotationFields.priority];
  const type = annotations[annotationFields.type];
  return {
    id: metadata.name,
    ...(className !== defaultClass && { className }),
    hostnames,
    ...(Object.keys(listen).length > 0 && { listen }),
    routes,
    ...(tls !== undefined && { tls }),
    ...(priority !== undefined && { priority }),
    ...(type !== undefined && { type }),
    ...(status !== undefined && { status }),
  };
}

/**
 * Content of the object of a document. A number as `rateLimit` is a rate per second, and one as `listen` a port.
 *
 * @throws {ApiError} 422 with the fields that do not exist or have the wrong type.
 */
export function fromConfigDocument(document: RestDocument): ConfigContent {
  const faults: Fault[] = [];
  for (const field of Object.keys(document)) {
    if (specFields.has(field) || shownFields.has(field) || Object.hasOwn(annotationFields, field)) continue;
    faults.push([field, unknownField(field)]);
  }
  const annotations: Record<string, string | null> = {};
  for (const [field, annotation] of Object.entries(annotationFields)) {
    const value = document[field];
    if (value === undefined || value === null) {
      annotations[annotation] = null;
      continue;
    }
    const text = typeof value === "number" ? String(value) : value;
    const wrong = field === "priority" ? priorityFault(text) : textFault(text);
    if (wrong !== undefined) faults.push([field, wrong]);
    else if (typeof text === "string") annotations[annotation] = text;
  }
  if (faults.length > 0) throw invalid(faults);
  const spec: Record<string, unknown> = {};
  for (const field of specFields) if (document[field] !== undefined) spec[field] = document[field];
  if (typeof spec["listen"] === "number") spec["listen"] = { port: spec["listen"] };
  if (Array.isArray(spec["routes"])) spec["routes"] = spec["routes"].map(routeOf);
  return { spec, metadata: { annotations } };
}

/** Field of the document for a field of the object: `routes[0].path` for `spec.routes[0].path`. */
export function toConfigField(field: string): string {
  for (const [name, annotation] of Object.entries(annotationFields)) {
    if (field.startsWith("metadata.annotations") && field.includes(annotation)) return name;
  }
  if (field === "metadata.name") return "id";
  return field.replace(/^spec\./, "");
}

type Fault = readonly [field: string, detail: string];

function invalid(faults: readonly Fault[]): ApiError {
  const text = faults.map(([field, detail]) => `${field}: ${detail}`).join("; ");
  const causes = faults.map(([field, message]) => ({ reason: "FieldValueInvalid", field, message }));
  return fromStatus({
    code: 422,
    reason: "Invalid",
    message: `the configuration is invalid: ${text}`,
    details: { causes },
  });
}

/** The strategies would take an unknown priority for none, and tell only the log. */
function priorityFault(value: unknown): string | undefined {
  const isNumber = typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value));
  const isLevel = typeof value === "string" && priorities.includes(value);
  return isLevel || isNumber ? undefined : `must be ${priorities.join(", ")} or a number`;
}

function textFault(value: unknown): string | undefined {
  return typeof value === "string" ? undefined : "must be a string";
}

function unknownField(field: string): string {
  if (field === "namespace") return "there is no such field: use the parameter ?namespace=";
  const fields = ["id", ...specFields, ...Object.keys(annotationFields)].join(", ");
  return `there is no such field; the fields are ${fields}`;
}

function routeOf(route: unknown): unknown {
  if (typeof route !== "object" || route === null) return route;
  const { rateLimit } = route as Fields;
  return typeof rateLimit === "number" ? { ...route, rateLimit: { requests: rateLimit } } : route;
}
