import type { ControllerRevision } from "kubernetes-types/apps/v1.js";
import type { KubeObject } from "../../../../model/core.js";
import { Checks } from "../checks.js";
import { ageColumn, column, nameColumn, none } from "../columns.js";
import { as, type KindRules, strategyOf } from "../kind-rules.js";

export const controllerRevision: KindRules = {
  columns: [
    nameColumn(),
    column("Controller", "What this is a state of.", controller),
    column("Revision", "Its number.", (object) => as<ControllerRevision>(object).revision ?? 0),
    ageColumn,
  ],
  strategy: strategyOf({
    validateUpdate(object, old) {
      const checks = new Checks("data");
      checks.unchanged(as<ControllerRevision>(object).data, as<ControllerRevision>(old).data);
      return checks.errors;
    },
  }),
};

function controller({ metadata }: KubeObject): string {
  const owner = metadata.ownerReferences?.find((each) => each.controller === true);
  if (owner === undefined) return none(undefined);
  const [group = ""] = owner.apiVersion.includes("/") ? owner.apiVersion.split("/") : [];
  const kind = owner.kind.toLowerCase();
  return `${group === "" ? kind : `${kind}.${group}`}/${owner.name}`;
}
