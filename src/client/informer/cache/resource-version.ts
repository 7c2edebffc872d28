/**
 * Compares two resourceVersions: negative, 0 or positive; undefined when one of them is not a decimal number. Compares
 * strings, since revisions may exceed 2^53.
 *
 * @example
 * compareVersions("9", "10"); // negative
 */
export function compareResourceVersions(left: string, right: string): number | undefined {
  if (!isNumeric(left) || !isNumeric(right)) return undefined;
  if (left.length !== right.length) return left.length - right.length;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** True if `left` is known to be later than `right`. */
export function isLater(left: string | undefined, right: string | undefined): boolean {
  return left !== undefined && right !== undefined && (compareResourceVersions(left, right) ?? 0) > 0;
}

/** True if a state at `version` is known to contain a write at `wanted`. */
export function hasReached(version: string | undefined, wanted: string | undefined): boolean {
  return (
    version !== undefined && wanted !== undefined && (compareResourceVersions(version, wanted) ?? -1) >= 0
  );
}

function isNumeric(version: string): boolean {
  for (let index = 0; index < version.length; index++) {
    const code = version.charCodeAt(index);
    if (code < 48 || code > 57) return false;
  }
  return version !== "" && (version === "0" || version.charCodeAt(0) !== 48);
}
