const reserved = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

const escapes = new Map([
  ["__", "__underscores__"],
  [".", "__dot__"],
  ["-", "__dash__"],
  ["/", "__slash__"],
]);
const unescapes = new Map(Array.from(escapes, ([sign, word]) => [word, sign]));

/**
 * Escapes a field name for expressions; undefined if it cannot be used.
 *
 * @example
 * escapeField("x-prop"); // "x__dash__prop"
 * escapeField("namespace"); // "__namespace__"
 */
export function escapeField(name: string): string | undefined {
  if (reserved.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_\-./][A-Za-z0-9_\-./]*$/.test(name)) return undefined;
  return name.replaceAll(/__|[-./]/g, (sign) => escapes.get(sign) ?? sign);
}

/** Unescapes a name in an expression; undefined if it is not a valid escape. */
export function unescapeField(name: string): string | undefined {
  if (!name.includes("__")) return name;
  let isValid = true;
  const field = name.replaceAll(/__[^_]+__/g, (word) => {
    const sign = unescapes.get(word);
    if (sign !== undefined) return sign;
    const inner = word.slice(2, -2);
    if (!reserved.has(inner) || word.length !== name.length) isValid = false;
    return inner;
  });
  return isValid ? field : undefined;
}
