const maxLength = 128;
const unprintable = /[^ \p{L}\p{M}\p{N}\p{P}\p{S}]/u;

/** Default field manager of a write: the program in the `User-Agent` header. */
export function managerFromUserAgent(userAgent: string | undefined): string {
  let manager = "";
  let size = 0;
  for (const character of (userAgent ?? "").split("/", 1)[0] ?? "") {
    if (unprintable.test(character)) continue;
    size += Buffer.byteLength(character);
    if (size > maxLength) break;
    manager += character;
  }
  return manager;
}
