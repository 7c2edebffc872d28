const canonical = /^[A-Za-z0-9+/]*={0,2}$/;

/** Where base64 stops making sense, as Go counts it; undefined when all of it does. Line breaks are allowed. */
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

/** What follows the first `=` must be as many more as are missing, and nothing else. */
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

/** The same bytes in the one way that base64 is written. Expects what {@link base64Fault} finds no fault with. */
export function canonicalBase64(text: string): string {
  return Buffer.from(text, "base64").toString("base64");
}

/** How many bytes canonical base64 stands for. */
export function base64Length(text: string): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return (text.length / 4) * 3 - padding;
}
