/** List in a response and the path of the field that identifies its items: `resources:name`, `items:metadata.name`. */
interface Place {
  readonly list: string;
  readonly way: readonly string[];
}

/**
 * A copy of their response with only those list items that ours has, too: Kubernetes serves more kinds. After a comma
 * follows a list within those items: `items:metadata.name,versions:version`.
 */
export function among(ours: unknown, theirs: unknown, where: string): unknown {
  const places = where.split(",").map((text): Place => {
    const [list = "", field = ""] = text.split(":");
    return { list, way: field.split(".") };
  });
  return restrict(ours, theirs, places);
}

function restrict(ours: unknown, theirs: unknown, [place, ...inner]: readonly Place[]): unknown {
  if (place === undefined || !isObject(ours) || !isObject(theirs)) return theirs;
  const { list, way } = place;
  const [our = [], their = []] = [ours[list], theirs[list]];
  if (!Array.isArray(our) || !Array.isArray(their)) return theirs;
  const matched = our.map((item: unknown) => {
    const id = JSON.stringify(follow(item, way));
    const other: unknown = their.find((each) => JSON.stringify(follow(each, way)) === id);
    return restrict(item, other, inner);
  });
  return { ...theirs, ...(ours[list] !== undefined && { [list]: matched }) };
}

function follow(value: unknown, way: readonly string[]): unknown {
  return way.reduce<unknown>((inner, field) => (isObject(inner) ? inner[field] : undefined), value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
