const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const mediaType = new RegExp(`^[ \\t]*(${token}/${token})[ \\t]*(?:;|$)`);
const parameter = new RegExp(
  `[ \\t]*${token}=(?:${token}|"(?:[^"\\\\]|\\\\.)*")[ \\t]*(?:;|$)|[ \\t]*(?:;|$)`,
  "y",
);

/**
 * Media type of a `Content-Type` header in lower case, without parameters; undefined if the header is malformed. The
 * charset is ignored: bodies are UTF-8.
 */
export function mediaTypeOf(header: string): string | undefined {
  const [all, type] = mediaType.exec(header) ?? [];
  if (all === undefined || type === undefined) return undefined;
  for (let at = all.length; at < header.length; at = parameter.lastIndex) {
    parameter.lastIndex = at;
    if (!parameter.test(header)) return undefined;
  }
  return type.toLowerCase();
}
