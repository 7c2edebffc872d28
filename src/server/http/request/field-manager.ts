const longest = 128;
const unprintable = /[^ \p{L}\p{M}\p{N}\p{P}\p{S}]/u;

/** Who the fields of a write belong to when the request does not say: the program, by its User-Agent. */
export function managerFromUserAgent(userAgent: string | undefined): string {
  let manager = "";
  let size = 0;
  for (const character of (userAgent ?? "").split("/", 1)[0] ?? "") {
    if (unprintable.test(character)) continue;
    size += Buffer.byteLength(character);
    if (size > longest) break;
    manager += character;
  }
  return manager;
}
