import type { ServiceSpec } from "kubernetes-types/core/v1.js";
import { failures, type fieldErrors } from "../../../../model/core.js";
import { Checks } from "../checks.js";
import { familyOf, type IpFamily } from "./address-range.js";
import type { ServiceRanges } from "./service-ranges.js";

const families: readonly string[] = ["IPv4", "IPv6"];
const policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];

/** Sets the address families of a service, as far as the client leaves them open. */
export function setFamilies(
  { addresses }: ServiceRanges,
  name: string,
  spec: ServiceSpec,
  old: ServiceSpec | undefined,
): void {
  if (isUnchangedPreference(spec, old)) return;
  const isOpenHeadless = spec.clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= old?.ipFamilyPolicy ?? (isOpenHeadless ? "RequireDualStack" : "SingleStack");
  refuse(name, validateFields(spec));
  const checks = new Checks("spec");
  if (old !== undefined) checkReduction(spec, old, checks.at("ipFamilyPolicy"));
  checkSingleStack(spec, checks.at("ipFamilyPolicy"));
  inferFamilies(addresses, spec, checks);
  refuse(name, checks.errors);

  const [first = "IPv4"] = addresses.keys();
  if (isOpenHeadless) {
    // Such a service may have families that nobody gives out addresses of.
    if (!spec.ipFamilies?.length) spec.ipFamilies = [first];
    if (spec.ipFamilyPolicy !== "SingleStack") addOtherFamily(spec);
    return;
  }
  if (spec.ipFamilyPolicy === "RequireDualStack" && addresses.size < 2) {
    const detail = "this cluster is not configured for dual-stack services";
    checks.at("ipFamilyPolicy").invalid(spec.ipFamilyPolicy, detail);
  }
  for (const [index, family] of (spec.ipFamilies ?? []).entries()) {
    if (addresses.has(family as IpFamily)) continue;
    checks.at("ipFamilies", index).invalid(family, "not configured on this cluster");
  }
  refuse(name, checks.errors);
  if (!spec.ipFamilies?.length) spec.ipFamilies = [first];
  if (spec.ipFamilyPolicy !== "SingleStack" && addresses.size === 2) addOtherFamily(spec);
}

/** A preference for two families has no effect on a service that exists, unless it asks for a change. */
function isUnchangedPreference(spec: ServiceSpec, old: ServiceSpec | undefined): boolean {
  return (
    old !== undefined &&
    spec.type === old.type &&
    spec.ipFamilyPolicy === "PreferDualStack" &&
    old.ipFamilyPolicy === "PreferDualStack" &&
    isSame(spec.clusterIPs, old.clusterIPs) &&
    isSame(spec.ipFamilies, old.ipFamilies)
  );
}

function checkReduction(spec: ServiceSpec, old: ServiceSpec, checks: Checks): void {
  if (spec.ipFamilyPolicy === "SingleStack") {
    // One family is a clear intent, as long as the client did not change the lists themselves.
    if (isSame(spec.clusterIPs, old.clusterIPs)) spec.clusterIPs = spec.clusterIPs?.slice(0, 1);
    if (isSame(spec.ipFamilies, old.ipFamilies)) spec.ipFamilies = spec.ipFamilies?.slice(0, 1);
    return;
  }
  const isReduced = (now: readonly string[] = [], before: readonly string[] = []): boolean =>
    now.length > 0 && now.length < before.length;
  if (isReduced(spec.clusterIPs, old.clusterIPs)) {
    checks.invalid(spec.ipFamilyPolicy, "must be 'SingleStack' to release the secondary cluster IP");
  }
  if (isReduced(spec.ipFamilies, old.ipFamilies)) {
    checks.invalid(spec.ipFamilyPolicy, "must be 'SingleStack' to release the secondary IP family");
  }
}

function checkSingleStack({ ipFamilyPolicy, clusterIPs, ipFamilies }: ServiceSpec, checks: Checks): void {
  if (ipFamilyPolicy !== "SingleStack") return;
  const detail = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
  if (clusterIPs?.length === 2) checks.invalid(ipFamilyPolicy, `${detail} cluster IPs are specified`);
  if (ipFamilies?.length === 2) checks.invalid(ipFamilyPolicy, `${detail} IP families are specified`);
}

function inferFamilies(addresses: ServiceRanges["addresses"], spec: ServiceSpec, checks: Checks): void {
  for (const [index, address] of (spec.clusterIPs ?? []).entries()) {
    const family = familyOf(address);
    if (family === undefined || index < (spec.ipFamilies?.length ?? 0)) continue;
    if (addresses.has(family)) spec.ipFamilies = [...(spec.ipFamilies ?? []), family];
    else
      checks.at("clusterIPs", index).invalid(spec.clusterIPs, `${family} is not configured on this cluster`);
  }
}

function addOtherFamily(spec: ServiceSpec): void {
  const [first, second] = spec.ipFamilies ?? [];
  if (first !== undefined && second === undefined) {
    spec.ipFamilies = [first, first === "IPv4" ? "IPv6" : "IPv4"];
  }
}

/** Checks the fields by themselves, so that the rest can rely on them. */
function validateFields(spec: ServiceSpec): readonly fieldErrors.FieldError[] {
  const { clusterIP = "", clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  const checks = new Checks("spec");
  const addresses = checks.at("clusterIPs");
  if (clusterIP !== "" && clusterIPs.length === 0) addresses.required();
  else if (clusterIP !== "" && clusterIPs[0] !== clusterIP) {
    addresses.invalid(clusterIPs, "first value must match `clusterIP`");
  } else if (clusterIP === "" && clusterIPs.length > 0) {
    addresses.invalid(clusterIPs, "must be empty when `clusterIP` is not specified");
  }
  for (const [index, family] of ipFamilies.entries()) {
    const at = checks.at("ipFamilies", index);
    at.oneOf(family, families);
    if (ipFamilies.indexOf(family) < index) at.duplicate(family);
  }
  checks.at("ipFamilyPolicy").oneOf(ipFamilyPolicy, policies);
  if (checkAddresses(clusterIPs, addresses)) checkAgainstFamilies(spec, addresses);
  return checks.errors;
}

function checkAddresses(clusterIPs: readonly string[], checks: Checks): boolean {
  if (clusterIPs[0] === "None") {
    if (clusterIPs.length > 1) checks.invalid(clusterIPs, "'None' must be the first and only value");
    return clusterIPs.length === 1;
  }
  const before = checks.errors.length;
  for (const [index, address] of clusterIPs.entries()) {
    if (familyOf(address) !== undefined) continue;
    checks.at(index).invalid(address, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
  }
  const areValid = checks.errors.length === before;
  if (clusterIPs.length > 2) checks.invalid(clusterIPs, "may only hold up to 2 values");
  if (areValid && clusterIPs.length > 1 && new Set(clusterIPs.map(familyOf)).size !== clusterIPs.length) {
    checks.invalid(clusterIPs, "may specify no more than one IP for each IP family");
  }
  return areValid;
}

function checkAgainstFamilies({ clusterIPs = [], ipFamilies = [] }: ServiceSpec, checks: Checks): void {
  for (const [index, address] of clusterIPs.entries()) {
    const expected = ipFamilies[index];
    const family = familyOf(address);
    if (family === undefined || expected === undefined || family === expected) continue;
    checks
      .at(index)
      .invalid(address, `expected an ${expected} value as indicated by \`ipFamilies[${index}]\``);
  }
}

export function isSame(left: readonly unknown[] = [], right: readonly unknown[] = []): boolean {
  return left.length === right.length && left.every((value, index) => value === right[index]);
}

/** @throws {ApiError} 422 */
export function refuse(name: string, errors: readonly fieldErrors.FieldError[]): void {
  if (errors.length > 0) throw failures.invalid({ group: "", kind: "Service" }, name, errors);
}
