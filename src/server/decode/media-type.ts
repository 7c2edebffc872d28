const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const mediaType = new RegExp(`^[ \\t]*(${token}/${token})[ \\t]*(?:;|$)`);
const parameter = new RegExp(
  `[ \\t]*${token}=(?:${token}|"(?:[^"\\\\]|\\\\.)*")[ \\t]*(?:;|$)|[ \\t]*(?:;|$)`,
  "y",
);

/**
 * The media type of a `Content-Type` header in small letters, without its parameters; undefined when the header is not
 * well-formed. Which charset it names does not matter: bodies are UTF-8.
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
