import { SelectorError } from "./selector-error.js";

/** Comparison of a field with a string. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** Selects objects by field values; all requirements must match. */
export interface FieldSelector {
  readonly requirements: readonly FieldRequirement[];
  /** True if every object matches. */
  readonly empty: boolean;
  /** Missing fields count as an empty string. */
  matches(getField: (field: string) => string | undefined): boolean;
  /** Value that a field must equal, if any; for index lookups. */
  exactValue(field: string): string | undefined;
  toString(): string;
}

/**
 * Compiles valid requirements.
 *
 * @example
 * fieldSelector([{ field: "metadata.name", operator: "=", value: "hello" }]);
 */
export function fieldSelector(requirements: readonly FieldRequirement[]): FieldSelector {
  const frozen = Object.freeze(requirements.map((requirement) => Object.freeze({ ...requirement })));
  return Object.freeze({
    requirements: frozen,
    empty: frozen.length === 0,
    matches(getField: (field: string) => string | undefined): boolean {
      for (const { field, operator, value } of frozen) {
        if (((getField(field) ?? "") === value) !== (operator === "=")) return false;
      }
      return true;
    },
    exactValue: (name: string): string | undefined =>
      frozen.find(({ field, operator }) => field === name && operator === "=")?.value,
    toString: (): string =>
      frozen.map(({ field, operator, value }) => `${field}${operator}${escapeFieldValue(value)}`).join(","),
  });
}

/**
 * Parses a field selector of a query. Throws a {@link SelectorError}.
 *
 * @example
 * parseFieldSelector("metadata.name=hello,status.phase!=Failed");
 */
export function parseFieldSelector(text: string): FieldSelector {
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(text).sort()) {
    if (term === "") continue;
    const [operator] = /!=|==?/.exec(term) ?? [];
    if (operator === undefined) {
      throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
    }
    const at = term.indexOf(operator);
    const field = term.slice(0, at);
    const value = unescapeFieldValue(term.slice(at + operator.length));
    // Kubernetes ignores a comparison of an empty field with an empty value.
    if (field === "" && value === "") continue;
    requirements.push({ field, operator: operator === "!=" ? "!=" : "=", value });
  }
  return fieldSelector(requirements);
}

/** Escapes a value for a field selector. */
export function escapeFieldValue(value: string): string {
  return value.replaceAll(/[\\,=]/g, String.raw`\$&`);
}

/** Splits at commas that no backslash precedes. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index++) {
    if (text[index] === "\\") index++;
    else if (text[index] === ",") {
      terms.push(text.slice(start, index));
      start = index + 1;
    }
  }
  terms.push(text.slice(start));
  return terms;
}

const special = /\\(.?)|[,=]/gsu;

function unescapeFieldValue(text: string): string {
  return text.replace(special, (sequence: string, escaped: string | undefined) => {
    if (escaped === undefined) {
      // Kubernetes renders the character as its code.
      throw new SelectorError(
        `invalid field selector: unescaped character in value: ${sequence.charCodeAt(0)}`,
      );
    }
    if (escaped === "\\" || escaped === "," || escaped === "=") return escaped;
    throw new SelectorError(`invalid field selector: invalid escape sequence: ${sequence}`);
  });
}
