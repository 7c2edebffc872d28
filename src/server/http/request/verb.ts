import type { ResourcePath } from "./path.js";
import { booleanOf, type Query } from "./query.js";

/** API verb of a request; for methods without a verb, the method in lower case. */
export function verbOf(method: string, path: ResourcePath, query: () => Query): string {
  switch (method) {
    case "GET":
    case "HEAD":
      if (path.watch) return "watch";
      if (path.name !== undefined) return "get";
      return booleanOf(query(), "watch") ? "watch" : "list";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return path.name === undefined ? "deletecollection" : "delete";
    default:
      return method.toLowerCase();
  }
}
