import type { ControllerRevision } from "kubernetes-types/apps/v1.js";
import type { fieldErrors, KubeObject } from "../../../../model/core.js";
import type { Draft } from "../../../resources/resource-type.js";
import { Checks } from "../checks.js";
import { nameColumn } from "../../../output-formats/columns.js";
import { builtInAgeColumn, column, none } from "../columns.js";
import { as, type KindRules, strategyOf } from "../kind-rules.js";

export const controllerRevision: KindRules = {
  columns: [
    nameColumn,
    column("Controller", "Controller that the revision belongs to.", controller),
    column("Revision", "Revision number.", (object) => as<ControllerRevision>(object).revision ?? 0),
    builtInAgeColumn,
  ],
  strategy: strategyOf({
    validate,
    validateUpdate(object, old) {
      const checks = new Checks("data", validate(object));
      checks.unchanged(as<ControllerRevision>(object).data, as<ControllerRevision>(old).data);
      return checks.errors;
    },
  }),
};

function validate(object: Draft): fieldErrors.FieldError[] {
  const { data, revision } = as<ControllerRevision>(object);
  const checks = new Checks("");
  if (data === undefined) checks.at("data").required("data is mandatory");
  checks.at("revision").notNegative(revision);
  return checks.errors;
}

function controller({ metadata }: KubeObject): string {
  const owner = metadata.ownerReferences?.find((each) => each.controller === true);
  if (owner === undefined) return none(undefined);
  const [group = ""] = owner.apiVersion.includes("/") ? owner.apiVersion.split("/") : [];
  const kind = owner.kind.toLowerCase();
  return `${group === "" ? kind : `${kind}.${group}`}/${owner.name}`;
}
