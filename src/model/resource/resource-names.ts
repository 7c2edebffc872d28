import { validateDns1035Label, validateDns1123Subdomain } from "../object/names.js";
import { parseApiVersion } from "../object/object.js";
import type { ReportProblem } from "./convert/problems.js";
import { pluralOf } from "./plural.js";
import type { Resource } from "./resource-types.js";

type NameKey = "group" | "version" | "plural" | "singular" | "listKind" | "shortNames" | "categories";

/** All names of a kind. */
export type ResourceNames = Pick<Resource, NameKey>;

interface NameOptions {
  readonly approval?: string;
  readonly plural?: string;
  readonly singular?: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

const camelCase = /^[A-Z][A-Za-z0-9]*$/;

/** Derives missing names, and checks all of them by Kubernetes' rules. */
export function resourceNames(
  apiVersion: string,
  kind: string,
  options: NameOptions,
  report: ReportProblem,
): ResourceNames {
  const { group, version } = checkApiVersion(apiVersion, options.approval, report);
  const isKind = camelCase.test(kind) && kind.length <= 63;
  if (!isKind) {
    report(
      "kind",
      `"${kind}" is not a valid kind`,
      'write it in CamelCase, at most 63 letters and digits: "Site", "NetworkPolicy"',
    );
  }
  const {
    plural = pluralOf(kind),
    singular = kind.toLowerCase(),
    listKind = `${kind}List`,
    shortNames = [],
    categories = [],
  } = options;

  // Names derived from an invalid kind would only repeat the problem.
  if (isKind || options.plural !== undefined) checkLabel("plural", plural, report);
  if (isKind || options.singular !== undefined) checkLabel("singular", singular, report);
  if ((isKind || options.listKind !== undefined) && (!camelCase.test(listKind) || listKind.length > 63)) {
    report(
      "listKind",
      `"${listKind}" is not a valid kind`,
      'write it in CamelCase, at most 63 letters: "SiteList"',
    );
  }
  if (listKind === kind)
    report("listKind", "kind and listKind may not be the same", `omit it: the default is "${kind}List"`);
  for (const [index, name] of categories.entries()) checkLabel(`categories[${index}]`, name, report);
  const taken = new Set([plural, singular]);
  for (const [index, name] of shortNames.entries()) {
    checkLabel(`shortNames[${index}]`, name, report);
    if (taken.has(name))
      report(`shortNames[${index}]`, `"${name}" is a name of the kind already`, "remove it");
    taken.add(name);
  }
  return {
    group,
    version,
    plural,
    singular,
    listKind,
    shortNames: [...shortNames],
    categories: [...categories],
  };
}

function checkApiVersion(
  apiVersion: string,
  approval: string | undefined,
  report: ReportProblem,
): { group: string; version: string } {
  const { group = "", version = "" } = parseApiVersion(apiVersion) ?? {};
  const example = 'write it as group/version with a domain of your own: "demo.dev/v1"';
  if (version === "" || group === "") {
    const what =
      group === "" && version !== ""
        ? "is in the core group, which is reserved for Kubernetes"
        : "is not a valid API version";
    report("apiVersion", `"${apiVersion}" ${what}`, example);
    return { group, version };
  }
  for (const fault of validateDns1123Subdomain(group))
    report("apiVersion", `the group "${group}": ${fault}`, example);
  if (!group.includes("."))
    report("apiVersion", `the group "${group}" should be a domain with at least one dot`, example);
  if (/(?:^|\.)(?:k8s|kubernetes)\.io$/.test(group) && approval === undefined) {
    report(
      "apiVersion",
      `the group "${group}" is reserved for the Kubernetes project, and API servers reject it without its approval`,
      "use a domain of your own, or set approval for a kind that the project has defined",
    );
  }
  for (const fault of validateDns1035Label(version)) {
    report(
      "apiVersion",
      `the version "${version}": ${fault}`,
      'use a name such as "v1", "v1beta1" or "v2alpha1"',
    );
  }
  return { group, version };
}

function checkLabel(path: string, name: string, report: ReportProblem): void {
  for (const fault of validateDns1035Label(name)) {
    report(path, `"${name}": ${fault}`, "write it in lower case, starting with a letter");
  }
}
