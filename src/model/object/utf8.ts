/**
 * Length of a string in UTF-8, which Kubernetes' limits count. A lone surrogate counts as the replacement
 * character it is encoded to.
 */
export function utf8Length(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    if (unit < 0x800) length += 1;
    else {
      length += 2;
      // A pair takes four bytes; both units are counted already, so two are added once.
      if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text.charCodeAt(index + 1))) index++;
    }
  }
  return length;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
