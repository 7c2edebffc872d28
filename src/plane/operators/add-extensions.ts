import type { Extension } from "../../server/index.js";

/** Paths below `/api` that the server does not answer, since the core group has the version v1 only. */
const otherVersion = /^\/api\/v(?!1(?:\/|$))\d+(?:\/|$)/;
/** First segments of paths that the server answers itself. */
const reserved = new Set(["api", "apis", "healthz", "livez", "metrics", "openapi", "readyz", "version"]);

/**
 * Adds extensions to those that a server has. It looks for the extension of a path with every request, so it may have started.
 *
 * @throws {Error} for a path that is not one, or that something else answers.
 */
export function addExtensions(extensions: Extension[], added: readonly Extension[]): void {
  for (const extension of added) {
    const { path } = extension;
    if (!/^(\/[\w.~-]+)+$/.test(path)) {
      throw new Error(
        `${JSON.stringify(path)} is not a path of an extension: it begins with / and does not end with it, such as /process/v1`,
      );
    }
    const [, first = ""] = path.split("/");
    const other = extensions.find((each) => isBelow(path, each.path) || isBelow(each.path, path));
    const isReserved = reserved.has(first) && !otherVersion.test(path);
    if (isReserved || other !== undefined) {
      const by = other === undefined ? "the API server" : `the extension ${other.path}`;
      throw new Error(
        `the extension ${path} cannot be served: ${by} answers these paths; choose another path`,
      );
    }
    extensions.push(extension);
  }
}

function isBelow(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}/`);
}
