import type { ProxyConfigObject } from "../kinds/proxy.js";

export type ConfigRoute = ProxyConfigObject["spec"]["routes"][number];

/** Routes with the same path, in their order. They belong to one HTTPRoute. */
export interface PathRoutes {
  /** Prefix without `/*` and without slashes at its end. */
  readonly prefix: string;
  readonly routes: readonly ConfigRoute[];
}

/** A configuration that cannot be translated: a reason for programs, and what is wrong with the way out. */
export interface ConfigProblem {
  readonly reason: string;
  readonly message: string;
}

/** Characters of paths in the Gateway API. */
const pathCharacters = /^(?:[-A-Za-z0-9/._~!$&'()*+,;=:@]|%[0-9A-Fa-f]{2})+$/;
/** Parts of paths that servers resolve in different ways. */
const ambiguous = ["//", "/./", "/../", "%2f", "%2F"];

/** Prefix that a path stands for: `/api`, `/api/` and `/api/*` are the same. */
export function prefixOf(path: string): string {
  return path.replace(/\/\*$/, "").replace(/\/+$/, "") || "/";
}

/**
 * Groups routes by their path. A request must have one route only: of two routes with the same path and method, one would never
 * get a request, so they are a problem. A route without methods takes the methods that others of its path leave.
 */
export function groupByPath(
  routes: readonly ConfigRoute[],
): readonly PathRoutes[] | { readonly problem: ConfigProblem } {
  const groups = new Map<string, ConfigRoute[]>();
  const taken = new Map<string, number>();
  for (const [index, route] of routes.entries()) {
    const prefix = prefixOf(route.path);
    const wrong = pathFault(prefix);
    if (wrong !== undefined)
      return { problem: { reason: "InvalidPath", message: `routes[${index}].path: ${wrong}` } };
    const methods = route.methods.length === 0 ? ["any method"] : new Set(route.methods);
    for (const method of methods) {
      const key = `${method} ${prefix}`;
      const other = taken.get(key);
      if (other !== undefined) {
        const message = `routes[${index}]: ${method} of ${prefix} is routed by routes[${other}] already: remove one of them, or give them different methods`;
        return { problem: { reason: "DuplicateRoute", message } };
      }
      taken.set(key, index);
    }
    groups.set(prefix, [...(groups.get(prefix) ?? []), route]);
  }
  return Array.from(groups, ([prefix, each]) => ({ prefix, routes: each }));
}

function pathFault(path: string): string | undefined {
  const text = JSON.stringify(path);
  if (!pathCharacters.test(path))
    return `${text} has characters that paths cannot have: encode them as in a URL, such as %20 for a space`;
  const part = ambiguous.find((each) => `${path}/`.includes(each) && !(each === "//" && path === "/"));
  return part === undefined ? undefined : `${text} contains ${part}: write the path without it`;
}
