import { UsageError } from "../command.js";
import { pluralOf } from "../../model/resource/plural.js";

/** What a kind is called in the files of a project. */
export interface KindNames {
  /** `BlueHouse` */
  readonly kind: string;
  /** `blueHouses`: the variable that holds its controller. */
  readonly controller: string;
  /** `blueHouse`: the variable that holds an object of it. */
  readonly variable: string;
  /** `blue-house`: its files. */
  readonly file: string;
  /** `demo.dev` */
  readonly group: string;
}

const pascalCase = /^[A-Z][A-Za-z0-9]{0,62}$/;
const dnsName = /^(?=.{3,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/;

/** Words that cannot name a variable, or already name something in the files that are made. */
const taken = new Set(
  (
    "await break case catch class const continue default delete do else enum export extends false finally for function if " +
    "import in instanceof new null package return static super switch this throw true try typeof var void while with yield " +
    "test plane assert resource controller z spec status ready report"
  ).split(" "),
);

/** @throws {UsageError} when kinds and groups cannot have such names. */
export function kindNames(kind: string, group: string): KindNames {
  if (!pascalCase.test(kind)) {
    const better = kind
      .split(/[^A-Za-z0-9]+/)
      .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
      .join("");
    const hint = pascalCase.test(better) ? `, such as ${better}` : "";
    throw new UsageError(
      `${JSON.stringify(kind)} cannot be a kind: kinds are words in upper camel case${hint}`,
    );
  }
  if (!dnsName.test(group)) {
    throw new UsageError(
      `${JSON.stringify(group)} cannot be a group: groups are domain names, such as demo.dev, in lower case`,
    );
  }
  const variable = kind.replace(/^[A-Z]+(?![a-z])|^[A-Z]/, (start) => start.toLowerCase());
  const lower = pluralOf(kind);
  // The plural is all lower case; what the kind's last letters become may differ, what comes before does not.
  const shared = lower.split("").findIndex((letter, at) => letter !== variable[at]?.toLowerCase());
  const plural = shared < 0 ? variable : variable.slice(0, shared) + lower.slice(shared);
  return {
    kind,
    group,
    variable: taken.has(variable) ? `${variable}Object` : variable,
    controller: plural === variable || taken.has(plural) ? `${variable}Controller` : plural,
    file: kind.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, "-").toLowerCase(),
  };
}
