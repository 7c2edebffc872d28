import type { IngressClass } from "kubernetes-types/networking/v1.js";
import type { fieldErrors, KubeObject } from "../../../../model/core.js";
import type { Draft } from "../../../resources/resource-type.js";
import { Checks } from "../checks.js";
import { nameColumn } from "../../../output-formats/columns.js";
import { builtInAgeColumn, column, none } from "../columns.js";
import { as, type KindRules, strategyOf } from "../kind-rules.js";

export const ingressClass: KindRules = {
  columns: [
    nameColumn,
    column(
      "Controller",
      "Controller that handles ingresses of this class.",
      (object) => as<IngressClass>(object).spec?.controller ?? "",
    ),
    column("Parameters", "Object with parameters of the controller.", parameters),
    builtInAgeColumn,
  ],
  strategy: strategyOf({
    generation: true,
    validate,
    validateUpdate(object, old) {
      const checks = new Checks("spec.controller");
      checks.unchanged(as<IngressClass>(object).spec?.controller, as<IngressClass>(old).spec?.controller);
      return checks.errors;
    },
  }),
};

function validate(object: Draft): fieldErrors.FieldError[] {
  const { controller, parameters } = as<IngressClass>(object).spec ?? {};
  const checks = new Checks("spec");
  if (!controller) checks.at("controller").required();
  else if (!/^[^/]+\.[^/]+\/.+$/.test(controller)) {
    checks.at("controller").invalid(controller, 'must be a domain-prefixed path (such as "acme.io/foo")');
  }
  if (parameters) {
    const at = checks.at("parameters");
    for (const field of ["kind", "name"] as const) if (!parameters[field]) at.at(field).required();
    if (parameters.scope === "Namespace" && !parameters.namespace) {
      at.at("namespace").required("`parameters.scope` is set to 'Namespace'");
    }
  }
  return checks.errors;
}

function parameters(object: KubeObject): string {
  const reference = as<IngressClass>(object).spec?.parameters;
  if (reference === undefined) return none(undefined);
  const group = reference.apiGroup === undefined ? "" : `.${reference.apiGroup}`;
  return `${reference.kind}${group}/${reference.name}`;
}
