export interface SubstitutedText {
  readonly text: string;
  /** Names of variables that are not set and have no default. */
  readonly unset: readonly string[];
  /** Undefined if the text is valid. */
  readonly problem?: string;
}

const reference = /\$(?:\$|([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)(?:(:?[-?+])([^{}]*))?\}|\{)/g;

/**
 * Replaces variables as Docker Compose does: `$NAME`, `${NAME}`, `${NAME:-default}`, `${NAME:?message}`, `${NAME:+instead}`; without
 * the colon, an empty variable counts as set. `$$` is a dollar sign. A default cannot contain another variable.
 *
 * @example
 * substituteVariables("${HOST:-localhost}:$PORT", { PORT: "80" }).text; // "localhost:80"
 */
export function substituteVariables(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): SubstitutedText {
  const unset: string[] = [];
  let problem: string | undefined;
  const filled = text.replaceAll(
    reference,
    (whole: string, plain?: string, braced?: string, operator = "", word = "") => {
      if (whole === "$$") return "$";
      const name = plain ?? braced;
      if (name === undefined) {
        problem ??= `has a "\${" that begins no variable: write \${NAME} or \${NAME:-default}, or $$ for a plain dollar sign`;
        return whole;
      }
      const value = Object.hasOwn(env, name) ? env[name] : undefined;
      const isSet = value !== undefined && (value !== "" || !operator.startsWith(":"));
      if (operator.endsWith("+")) return isSet ? word : "";
      if (isSet) return value;
      if (operator.endsWith("-")) return word;
      if (operator.endsWith("?")) {
        problem ??= `needs the variable ${name}, which is not set${word === "" ? "" : `: ${word}`}`;
      } else unset.push(name);
      return "";
    },
  );
  return { text: filled, unset, ...(problem !== undefined && { problem }) };
}
