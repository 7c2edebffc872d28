import type { ResourceType, Verb } from "../resources/resource-type.js";
import {
  deleteCollectionParameters,
  deleteParameters,
  getParameters,
  listParameters,
  patchParameters,
  writeParameters,
  type Parameter,
} from "./parameters.js";

/** Type of a request or response body. */
export type Model =
  | "object"
  | "list"
  | "status"
  | "deleteOptions"
  | "patch"
  | "scale"
  | "binding"
  | "eviction";

/** HTTP operation of a verb, for any kind. */
export interface Operation {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** Value of `x-kubernetes-action`. */
  readonly action: string;
  /** First word of operation ids, and the prefix of the kind's name in them. */
  readonly idVerb: string;
  readonly idPrefix?: string;
  /** `{}` is replaced by the kind. */
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly model: Model; readonly required: boolean };
  readonly answer: Model;
  readonly codes: readonly (keyof typeof codeNames)[];
}

/** Response codes. */
export const codeNames = { 200: "OK", 201: "Created", 202: "Accepted", 401: "Unauthorized" } as const;

/** A watch is a list with a parameter, so it has no operation of its own. */
export const operations: Readonly<Record<Exclude<Verb, "watch">, Operation>> = {
  list: {
    method: "get",
    action: "list",
    idVerb: "list",
    description: "List or watch objects of kind {}",
    parameters: listParameters,
    answer: "list",
    codes: [200, 401],
  },
  create: {
    method: "post",
    action: "post",
    idVerb: "create",
    description: "Create an object of kind {}",
    parameters: writeParameters,
    body: { model: "object", required: true },
    answer: "object",
    codes: [200, 201, 202, 401],
  },
  deletecollection: {
    method: "delete",
    action: "deletecollection",
    idVerb: "delete",
    idPrefix: "Collection",
    description: "Delete all selected objects of kind {}",
    parameters: deleteCollectionParameters,
    body: { model: "deleteOptions", required: false },
    answer: "status",
    codes: [200, 401],
  },
  get: {
    method: "get",
    action: "get",
    idVerb: "read",
    description: "Read {}",
    parameters: getParameters,
    answer: "object",
    codes: [200, 401],
  },
  update: {
    method: "put",
    action: "put",
    idVerb: "replace",
    description: "Replace {}",
    parameters: writeParameters,
    body: { model: "object", required: true },
    answer: "object",
    codes: [200, 201, 401],
  },
  patch: {
    method: "patch",
    action: "patch",
    idVerb: "patch",
    description: "Change parts of {}",
    parameters: patchParameters,
    body: { model: "patch", required: true },
    answer: "object",
    codes: [200, 201, 401],
  },
  delete: {
    method: "delete",
    action: "delete",
    idVerb: "delete",
    description: "Delete {}",
    parameters: deleteParameters,
    body: { model: "deleteOptions", required: false },
    answer: "status",
    codes: [200, 202, 401],
  },
};

const json = "application/json";
const yaml = "application/yaml";

/** Media types of request bodies. */
export function consumes({ capabilities }: ResourceType, model: Model): readonly string[] {
  if (model !== "patch") {
    return capabilities.protobuf ? [json, yaml, "application/vnd.kubernetes.protobuf"] : [json, yaml];
  }
  return [
    "application/json-patch+json",
    "application/merge-patch+json",
    ...(capabilities.strategicMerge ? ["application/strategic-merge-patch+json"] : []),
    "application/apply-patch+yaml",
  ];
}

/** Media types of responses. */
export function produces(model: Model): readonly string[] {
  return model === "list" ? [json, yaml, `${json};stream=watch`] : [json, yaml];
}
