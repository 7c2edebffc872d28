import type { RouteFilter } from "../../kinds/gateway-api.js";
import {
  noHeaderChanges,
  type HeaderChanges,
  type PathChange,
  type Redirect,
  type Rewrite,
} from "../configuration.js";
import type { Problem } from "../findings.js";
import { headerName } from "./matches.js";
import { hasControlCharacters, replacementPath } from "./paths.js";

/** Filters of a rule, as nginx carries them out. */
export interface Filters {
  readonly requestHeaders: HeaderChanges;
  readonly responseHeaders: HeaderChanges;
  readonly redirect: Redirect | undefined;
  readonly rewrite: Rewrite | undefined;
  /** A filter that others would have to provide: the Gateway API demands an error instead of skipping it. */
  readonly hasExtension: boolean;
}

type PathModifier = NonNullable<NonNullable<RouteFilter["urlRewrite"]>["path"]>;
type HeaderModifier = NonNullable<RouteFilter["requestHeaderModifier"]>;

/** Headers that frame messages or belong to one connection: changing them breaks requests, or smuggles others past the proxy. */
const connectionHeaders: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
/** Headers that nginx writes into every response. */
const responseHeaders: ReadonlySet<string> = new Set(["date", "server"]);
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const noFilters: Filters = {
  requestHeaders: noHeaderChanges,
  responseHeaders: noHeaderChanges,
  redirect: undefined,
  rewrite: undefined,
  hasExtension: false,
};

class FilterProblem extends Error {
  readonly reason: string;

  constructor(message: string, reason = "UnsupportedValue") {
    super(message);
    this.reason = reason;
  }
}

/** Checks the filters of a rule; the message of a problem begins with the field. */
export function compileFilters(filters: readonly RouteFilter[]): Filters | Problem {
  if (filters.length === 0) return noFilters;
  try {
    return compile(filters);
  } catch (error) {
    if (error instanceof FilterProblem) return { reason: error.reason, message: error.message };
    throw error;
  }
}

function compile(filters: readonly RouteFilter[]): Filters {
  const result = { ...noFilters };
  const types = new Set<string>();
  for (const [index, filter] of filters.entries()) {
    const field = `filters[${index}]`;
    if (types.has(filter.type) && filter.type !== "ExtensionRef") {
      throw new FilterProblem(
        `${field}: a rule can have one filter ${filter.type} only`,
        "IncompatibleFilters",
      );
    }
    types.add(filter.type);
    Object.assign(result, compileFilter(filter, field));
  }
  if (result.redirect !== undefined && result.rewrite !== undefined) {
    throw new FilterProblem(
      "filters: RequestRedirect and URLRewrite exclude each other: remove one of them",
      "IncompatibleFilters",
    );
  }
  return result;
}

function compileFilter(filter: RouteFilter, field: string): Partial<Filters> {
  const { type, requestHeaderModifier, responseHeaderModifier, requestRedirect, urlRewrite } = filter;
  switch (type) {
    case "RequestHeaderModifier":
      return {
        requestHeaders: headerChanges(
          required(requestHeaderModifier, field, "requestHeaderModifier"),
          field,
          true,
        ),
      };
    case "ResponseHeaderModifier":
      return {
        responseHeaders: headerChanges(
          required(responseHeaderModifier, field, "responseHeaderModifier"),
          field,
          false,
        ),
      };
    case "RequestRedirect":
      return {
        redirect: redirect(required(requestRedirect, field, "requestRedirect"), `${field}.requestRedirect`),
      };
    case "URLRewrite": {
      const { hostname, path } = required(urlRewrite, field, "urlRewrite");
      return {
        rewrite: {
          hostname: preciseHostname(hostname, `${field}.urlRewrite`),
          path: pathChange(path, `${field}.urlRewrite.path`),
        },
      };
    }
    case "ExtensionRef":
      return { hasExtension: true };
    default:
      throw new FilterProblem(
        `${field}.type: ${JSON.stringify(type)} is not supported: use RequestHeaderModifier, ResponseHeaderModifier, RequestRedirect or URLRewrite`,
      );
  }
}

function required<T>(value: T | undefined, field: string, name: string): T {
  if (value === undefined) throw new FilterProblem(`${field}.${name} is missing`);
  return value;
}

function redirect(
  { scheme, hostname, port, path, statusCode }: NonNullable<RouteFilter["requestRedirect"]>,
  field: string,
): Redirect {
  if (scheme !== undefined && scheme !== "http" && scheme !== "https") {
    throw new FilterProblem(`${field}.scheme: ${JSON.stringify(scheme)} is not supported: use http or https`);
  }
  if (!redirectStatuses.has(statusCode)) {
    const known = [...redirectStatuses].join(", ");
    throw new FilterProblem(`${field}.statusCode: ${statusCode} is not supported: use one of ${known}`);
  }
  return {
    type: "redirect",
    scheme,
    hostname: preciseHostname(hostname, field),
    port,
    path: pathChange(path, `${field}.path`),
    status: statusCode,
  };
}

function preciseHostname(hostname: string | undefined, field: string): string | undefined {
  if (hostname?.startsWith("*.") !== true) return hostname;
  throw new FilterProblem(`${field}.hostname: "${hostname}" must not be a wildcard`);
}

function pathChange(modifier: PathModifier | undefined, field: string): PathChange | undefined {
  if (modifier === undefined) return undefined;
  const { type, replaceFullPath, replacePrefixMatch } = modifier;
  // Definitions of a later Gateway API may know more types.
  const kind: string = type;
  if (kind === "ReplaceFullPath") {
    return {
      type: "full",
      path: replacement(required(replaceFullPath, field, "replaceFullPath"), `${field}.replaceFullPath`),
    };
  }
  if (kind !== "ReplacePrefixMatch")
    throw new FilterProblem(`${field}.type: ${JSON.stringify(kind)} is not supported`);
  const prefix = required(replacePrefixMatch, field, "replacePrefixMatch");
  // An empty prefix takes the matched one away, like "/". A slash at the end has no meaning.
  if (prefix === "") return { type: "prefix", path: "/" };
  const path = replacement(prefix, `${field}.replacePrefixMatch`);
  return { type: "prefix", path: path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path };
}

function replacement(path: string, field: string): string {
  const checked = replacementPath(path);
  if ("fault" in checked) throw new FilterProblem(`${field}: ${checked.fault}`);
  return checked.value;
}

function headerChanges(
  { set = [], add = [], remove = [] }: HeaderModifier,
  field: string,
  ofRequest: boolean,
): HeaderChanges {
  const names = new Set<string>();
  for (const name of [...set.map((entry) => entry.name), ...add.map((entry) => entry.name), ...remove]) {
    const quoted = JSON.stringify(name);
    if (!headerName.test(name)) {
      throw new FilterProblem(`${field}: header name ${quoted} may have letters, digits and "-" only`);
    }
    const key = name.toLowerCase();
    if (connectionHeaders.has(key) || (!ofRequest && responseHeaders.has(key)))
      throw new FilterProblem(`${field}: header ${quoted} is managed by nginx`);
    if (ofRequest && key === "host") {
      throw new FilterProblem(
        `${field}: use a URLRewrite filter with a hostname to change the header ${quoted}`,
      );
    }
    if (names.has(key)) throw new FilterProblem(`${field}: header ${quoted} may be changed once only`);
    names.add(key);
  }
  for (const { name, value } of [...set, ...add]) {
    if (hasControlCharacters(value)) {
      throw new FilterProblem(`${field}: the value of header "${name}" must not have control characters`);
    }
  }
  const pairs = (list: typeof set): HeaderChanges["set"] => list.map(({ name, value }) => ({ name, value }));
  return { set: pairs(set), add: pairs(add), remove };
}
