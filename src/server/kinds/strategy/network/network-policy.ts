import type { NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from "kubernetes-types/networking/v1.js";
import type { fieldErrors } from "../../../../model/core.js";
import { validateLabelSelector } from "../../../../model/selector/label-selector.js";
import type { Draft } from "../../../resources/resource-type.js";
import { Checks, protocols } from "../checks.js";
import { ageColumn, column, nameColumn, selectorCell } from "../columns.js";
import { as, type KindRules, strategyOf } from "../kind-rules.js";

export const networkPolicy: KindRules = {
  columns: [
    nameColumn(),
    column("Pod-Selector", "Which pods it is for.", (object) =>
      selectorCell(as<NetworkPolicy>(object).spec?.podSelector),
    ),
    ageColumn,
  ],
  defaults(object) {
    const { spec } = as<NetworkPolicy>(object);
    if (spec && !spec.policyTypes?.length) {
      spec.policyTypes = spec.egress?.length ? ["Ingress", "Egress"] : ["Ingress"];
    }
  },
  strategy: strategyOf({ generation: true, validate, validateUpdate: validate }),
};

function validate(object: Draft): fieldErrors.FieldError[] {
  const { podSelector, ingress = [], egress = [], policyTypes = [] } = as<NetworkPolicy>(object).spec ?? {};
  const checks = new Checks("spec");
  checks.add(validateLabelSelector(podSelector, checks.at("podSelector").path));
  for (const [index, rule] of ingress.entries()) {
    validateRule(rule.ports, rule.from, "from", checks.at("ingress", index));
  }
  for (const [index, rule] of egress.entries()) {
    validateRule(rule.ports, rule.to, "to", checks.at("egress", index));
  }
  for (const [index, type] of policyTypes.entries()) {
    checks.at("policyTypes", index).oneOf(type, ["Egress", "Ingress"]);
  }
  return checks.errors;
}

function validateRule(
  ports: readonly NetworkPolicyPort[] = [],
  peers: readonly NetworkPolicyPeer[] = [],
  name: "from" | "to",
  checks: Checks,
): void {
  for (const [index, { port, protocol }] of ports.entries()) {
    const at = checks.at("ports", index);
    at.at("protocol").oneOf(protocol, protocols);
    if (port !== undefined) at.at("port").portOrName(port);
  }
  for (const [index, { podSelector, namespaceSelector, ipBlock }] of peers.entries()) {
    const at = checks.at(name, index);
    if (!podSelector && !namespaceSelector && !ipBlock) at.required("must specify a peer");
    if (ipBlock && (podSelector || namespaceSelector)) {
      at.forbidden("may not specify both ipBlock and another peer");
    }
    if (ipBlock && !ipBlock.cidr) at.at("ipBlock", "cidr").required();
    checks.add(validateLabelSelector(podSelector, at.at("podSelector").path));
    checks.add(validateLabelSelector(namespaceSelector, at.at("namespaceSelector").path));
  }
}
