import { UsageError } from "../command/command.js";
import { pluralOf } from "../../model/resource/plural.js";

/** Names of a kind in the files of a project. */
export interface KindNames {
  /** `BlueHouse` */
  readonly kind: string;
  /** Variable of the controller: `blueHouses`. */
  readonly controller: string;
  /** Variable of an object: `blueHouse`. */
  readonly variable: string;
  /** Name of the files: `blue-house`. */
  readonly file: string;
  /** `demo.dev` */
  readonly group: string;
}

const pascalCase = /^[A-Z][A-Za-z0-9]{0,62}$/;
const dnsName = /^(?=.{3,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/;

/** Words that are reserved in JavaScript, or used for other things in the generated files. */
const reserved = new Set(
  (
    "await break case catch class const continue default delete do else enum export extends false finally for function if " +
    "import in instanceof new null package return static super switch this throw true try typeof var void while with yield " +
    "test plane assert resource controller z spec status ready report"
  ).split(" "),
);

/** @throws {UsageError} for an invalid kind or group. */
export function kindNames(kind: string, group: string): KindNames {
  if (!pascalCase.test(kind)) {
    const better = kind
      .split(/[^A-Za-z0-9]+/)
      .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
      .join("");
    const hint = pascalCase.test(better) ? `, such as ${better}` : "";
    throw new UsageError(`${JSON.stringify(kind)} is not a valid kind: use upper camel case${hint}`);
  }
  if (!dnsName.test(group)) {
    throw new UsageError(
      `${JSON.stringify(group)} is not a valid API group: use a lower-case domain name such as demo.dev`,
    );
  }
  const variable = kind.replace(/^[A-Z]+(?![a-z])|^[A-Z]/, (start) => start.toLowerCase());
  const lower = pluralOf(kind);
  // The plural is lower case: use the case of the kind for the part that both share.
  const shared = lower.split("").findIndex((letter, at) => letter !== variable[at]?.toLowerCase());
  const plural = shared < 0 ? variable : variable.slice(0, shared) + lower.slice(shared);
  return {
    kind,
    group,
    variable: reserved.has(variable) ? `${variable}Object` : variable,
    controller: plural === variable || reserved.has(plural) ? `${variable}Controller` : plural,
    file: kind.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "-").toLowerCase(),
  };
}
