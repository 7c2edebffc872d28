/** A text with the values of its variables. */
export interface Substituted {
  readonly text: string;
  /** Names of the variables that were used. */
  readonly variables: readonly string[];
}

const reference = /\$(?:\$(?=\{)|\{([^}]*)\})/g;

/**
 * Replaces `${NAME}` and `${NAME:-default}`, whose default is used if the variable is not set or empty; `$${` is a plain `${`.
 *
 * @throws {RangeError} for a variable that is not set, or an invalid name.
 */
export function substituteVariables(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): Substituted {
  const variables: string[] = [];
  const filled = text.replaceAll(reference, (whole, inner: string | undefined) => {
    if (inner === undefined) return "$";
    const [, name, fallback] = /^([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s.exec(inner) ?? [];
    if (name === undefined) {
      throw new RangeError(
        `${whole} is not a variable: write \${NAME} or \${NAME:-default}, or $\${ for a plain \${`,
      );
    }
    const value = env[name];
    if (value !== undefined && (value !== "" || fallback === undefined)) {
      variables.push(name);
      return value;
    }
    if (fallback !== undefined) return fallback;
    throw new RangeError(`the variable ${name} is not set: set it, or write \${${name}:-default}`);
  });
  return { text: filled, variables };
}
