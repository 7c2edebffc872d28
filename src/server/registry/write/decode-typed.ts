import type { ObjectSchema } from "../../../model/structural/object-schema.js";
import { typedRules } from "../../kinds/typed/typed-rules.js";
import { findBuiltInKind } from "../../kinds/types.js";
import { apiVersionOf, type Draft } from "../../resources/resource-type.js";
import { bodyOf } from "../../resources/subresources.js";
import type { Body } from "../../decode/decoded-body.js";
import type { WriteRequest } from "../requests.js";
import { decodeObject, pruneFields, type DecodableType, type ToError } from "./prune-and-default.js";

const rulesByKind = new Map<string, ObjectSchema>();

function rulesOf(apiVersion: string, kind: string): ObjectSchema {
  const name = `${apiVersion} ${kind}`;
  let rules = rulesByKind.get(name);
  if (rules === undefined) {
    const struct = findBuiltInKind(apiVersion, kind);
    if (struct === undefined) throw new Error(`${name} is not among the built-in types`);
    rules = typedRules(struct);
    rulesByKind.set(name, rules);
  }
  return rules;
}

/** Decodes the body of a subresource that takes objects of a kind of its own, such as a Scale. */
export function decodeTyped(request: WriteRequest, body: Body, toError?: ToError): Draft {
  const { group, version, kind } = bodyOf(request.type, request.subresource);
  const type: DecodableType = {
    group,
    version,
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced: request.type.namespaced,
    capabilities: { decoding: "typed" },
    rules: rulesOf(apiVersionOf({ group, version }), kind),
  };
  const object = decodeObject(type, body, request);
  pruneFields(type, object, body, request, { toError });
  return object;
}
