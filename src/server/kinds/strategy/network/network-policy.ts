import { BlockList, isIP } from "node:net";
import type {
  IPBlock,
  NetworkPolicy,
  NetworkPolicyPeer,
  NetworkPolicyPort,
} from "kubernetes-types/networking/v1.js";
import type { fieldErrors } from "../../../../model/core.js";
import { validateLabelSelector } from "../../../../model/selector/label-selector.js";
import type { Draft } from "../../../resources/resource-type.js";
import { Checks } from "../checks.js";
import { nameColumn } from "../../../output-formats/columns.js";
import { builtInAgeColumn, column, selectorCell } from "../columns.js";
import { as, type KindRules, strategyOf } from "../kind-rules.js";

export const networkPolicy: KindRules = {
  columns: [
    nameColumn,
    column("Pod-Selector", "Label selector of the pods.", (object) =>
      selectorCell(as<NetworkPolicy>(object).spec?.podSelector),
    ),
    builtInAgeColumn,
  ],
  defaults(object) {
    const { spec } = as<NetworkPolicy>(object);
    if (spec && !spec.policyTypes?.length) {
      spec.policyTypes = spec.egress?.length ? ["Ingress", "Egress"] : ["Ingress"];
    }
  },
  strategy: strategyOf({ generation: true, validate }),
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
  if (policyTypes.length > 2) {
    checks.at("policyTypes").invalid(policyTypes, "may not specify more than two policyTypes");
    return checks.errors;
  }
  for (const [index, type] of policyTypes.entries()) {
    checks.at("policyTypes", index).oneOf(type, ["Ingress", "Egress"]);
  }
  return checks.errors;
}

function validateBlock({ cidr, except = [] }: IPBlock, checks: Checks): void {
  if (!cidr) {
    checks.at("cidr").required();
    return;
  }
  const block = parseCidr(cidr);
  if (block === undefined) checks.at("cidr").invalid(cidr, invalidCidr);
  for (const [index, text] of except.entries()) {
    const at = checks.at("except", index);
    const part = parseCidr(text);
    if (part === undefined) at.invalid(text, invalidCidr);
    else if (block && !(part.prefix > block.prefix && block.list.check(part.address, part.family))) {
      at.invalid(text, "must be a strict subset of `cidr`");
    }
  }
}

const invalidCidr = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

interface Cidr {
  readonly address: string;
  readonly prefix: number;
  readonly family: "ipv4" | "ipv6";
  readonly list: BlockList;
}

function parseCidr(text: string): Cidr | undefined {
  const [, address = "", digits = ""] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  const version = isIP(address);
  const prefix = Number(digits);
  if (version === 0 || prefix > (version === 4 ? 32 : 128)) return undefined;
  const family = version === 4 ? "ipv4" : "ipv6";
  const list = new BlockList();
  list.addSubnet(address, prefix, family);
  return { address, prefix, family, list };
}

function validateRule(
  ports: readonly NetworkPolicyPort[] = [],
  peers: readonly NetworkPolicyPeer[] = [],
  name: "from" | "to",
  checks: Checks,
): void {
  for (const [index, { port, protocol, endPort }] of ports.entries()) {
    const at = checks.at("ports", index);
    at.at("protocol").oneOf(protocol, ["TCP", "UDP", "SCTP"]);
    if (port !== undefined) at.at("port").portOrName(port);
    if (endPort !== undefined && typeof port === "number" && endPort < port) {
      at.at("endPort").invalid(port, "must be greater than or equal to `port`");
    }
  }
  for (const [index, { podSelector, namespaceSelector, ipBlock }] of peers.entries()) {
    const at = checks.at(name, index);
    if (!podSelector && !namespaceSelector && !ipBlock) at.required("must specify a peer");
    if (ipBlock && (podSelector || namespaceSelector)) {
      at.forbidden("may not specify both ipBlock and another peer");
    }
    if (ipBlock) validateBlock(ipBlock, at.at("ipBlock"));
    checks.add(validateLabelSelector(podSelector, at.at("podSelector").path));
    checks.add(validateLabelSelector(namespaceSelector, at.at("namespaceSelector").path));
  }
}
