/** A path at which two responses differ. */
export interface Difference {
  /** Such as `body.details.causes[0].message`. */
  readonly path: string;
  readonly ours: unknown;
  readonly theirs: unknown;
}

/** All differences between two JSON values. */
export function differencesBetween(ours: unknown, theirs: unknown, path = ""): Difference[] {
  if (Array.isArray(ours) && Array.isArray(theirs) && ours.length === theirs.length) {
    return ours.flatMap((item, index) => differencesBetween(item, theirs[index], `${path}[${index}]`));
  }
  if (isObject(ours) && isObject(theirs)) {
    const keys = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
    return [...keys].flatMap((key) =>
      differencesBetween(ours[key], theirs[key], path === "" ? key : `${path}.${key}`),
    );
  }
  return JSON.stringify(ours) === JSON.stringify(theirs) ? [] : [{ path, ours, theirs }];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function showDifference({ path, ours, theirs }: Difference): string {
  return `  ${path}\n    Fettle:     ${JSON.stringify(ours)}\n    Kubernetes: ${JSON.stringify(theirs)}`;
}
