/** Warning: code, agent, quoted text, optional date. */
const warning = /\s*\d{3}\s+\S+\s+"((?:[^"\\]|\\.)*)"(?:\s+"[^"]*")?\s*,?/y;

/**
 * Texts of `Warning` headers; a header may have several.
 *
 * @example
 * warningsIn('299 - "spec.size is deprecated", 299 - "unknown field \\"spec.colour\\""');
 */
export function warningsIn(headers: string | string[] | undefined): string[] {
  const texts: string[] = [];
  for (const header of typeof headers === "string" ? [headers] : (headers ?? [])) {
    warning.lastIndex = 0;
    for (let found = warning.exec(header); found !== null; found = warning.exec(header)) {
      texts.push((found[1] ?? "").replaceAll(/\\(.)/g, "$1"));
    }
  }
  return texts;
}
