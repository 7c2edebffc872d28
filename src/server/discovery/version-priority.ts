/** Kubernetes-style version: `v1`, `v2beta3`. */
const pattern = /^v(\d+)(?:(alpha|beta)(\d+))?$/;

const maturities = ["alpha", "beta", undefined];

/**
 * Compares versions of a group by Kubernetes' priority: stable before beta before alpha, each with higher numbers first,
 * then all other names in alphabetical order.
 *
 * @example
 * ["v1beta1", "foo", "v1", "v10"].sort(compareVersions); // ["v10", "v1", "v1beta1", "foo"]
 */
export function compareApiVersions(a: string, b: string): number {
  if (a === b) return 0;
  const left = parse(a);
  const right = parse(b);
  if (!left || !right) return left ? -1 : right ? 1 : a < b ? -1 : 1;
  return right.maturity - left.maturity || right.major - left.major || right.minor - left.minor;
}

function parse(version: string): { major: number; maturity: number; minor: number } | undefined {
  const match = pattern.exec(version);
  if (!match) return undefined;
  const major = Number(match[1]);
  const minor = Number(match[3] ?? 0);
  // A number that does not fit into an integer makes the version an ordinary name.
  if (!Number.isSafeInteger(major) || !Number.isSafeInteger(minor)) return undefined;
  return { major, maturity: maturities.indexOf(match[2]), minor };
}
