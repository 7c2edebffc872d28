/**
 * How many bytes a text takes as UTF-8, which is what Kubernetes' length limits count. Half of a surrogate
 * pair counts as the replacement character it turns into on the wire.
 */
export function utf8Length(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    if (unit < 0x800) length += 1;
    else {
      length += 2;
      // Four bytes for the two units of a pair: both have been counted, so only this one's two are added.
      if (unit >= 0xd800 && unit <= 0xdbff && isLowSurrogate(text.charCodeAt(index + 1))) index++;
    }
  }
  return length;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
