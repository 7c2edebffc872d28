const canonical = /^[A-Za-z0-9+/]*={0,2}$/;

/** Offset of the first invalid byte of base64, as Go counts it; undefined when valid. Line breaks are allowed. */
export function base64Fault(text: string): number | undefined {
  if (text.length % 4 === 0 && canonical.test(text)) return undefined;
  let read = 0;
  let position = 0;
  while (position < text.length) {
    const character = text.charAt(position);
    if (isLineBreak(character)) position++;
    else if (character === "=") return paddingFault(text, position, read);
    else if (isDigit(character)) {
      read = (read + 1) % 4;
      position++;
    } else return position;
  }
  return read === 0 ? undefined : position - read;
}

/** After the first `=` only the missing padding may follow. */
function paddingFault(text: string, start: number, read: number): number | undefined {
  if (read < 2) return start;
  let position = afterLineBreaks(text, start + 1);
  if (read === 2) {
    if (position === text.length) return text.length;
    if (text.charAt(position) !== "=") return position - 1;
    position = afterLineBreaks(text, position + 1);
  }
  return position < text.length ? position : undefined;
}

function afterLineBreaks(text: string, position: number): number {
  let next = position;
  while (next < text.length && isLineBreak(text.charAt(next))) next++;
  return next;
}

function isLineBreak(character: string): boolean {
  return character === "\n" || character === "\r";
}

function isDigit(character: string): boolean {
  return /[A-Za-z0-9+/]/.test(character);
}

/** The same bytes in canonical base64. Expects valid base64 ({@link base64Fault}). */
export function canonicalBase64(text: string): string {
  return Buffer.from(text, "base64").toString("base64");
}

/** Number of bytes that canonical base64 encodes. */
export function base64Length(text: string): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return (text.length / 4) * 3 - padding;
}
