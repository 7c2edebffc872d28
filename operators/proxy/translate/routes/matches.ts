import type { RouteMatch } from "../../kinds/gateway-api.js";
import type { NameAndValue, RequestMatch } from "../configuration.js";
import { hasControlCharacters, matchPath, type Checked } from "./paths.js";

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"]);
/** Methods that the Gateway API knows, but to which nginx itself responds 405. */
const refusedMethods: ReadonlySet<string> = new Set(["CONNECT", "TRACE"]);

/** Header names that nginx has variables for, and that it does not drop from requests. */
export const headerName = /^[A-Za-z0-9-]+$/;

type Comparison = { readonly type: string; readonly name: string; readonly value: string };

/** Checks a match of a rule. A fault begins with the field that it is in. */
export function compileMatch({
  path,
  method,
  headers = [],
  queryParams = [],
}: RouteMatch): Checked<RequestMatch> {
  const checkedPath = matchPath(path.type, path.value);
  if ("fault" in checkedPath) return { fault: `path: ${checkedPath.fault}` };
  if (method !== undefined && !methods.has(method)) {
    const why = refusedMethods.has(method)
      ? "nginx refuses such requests"
      : `use one of ${[...methods].join(", ")}`;
    return { fault: `method: ${JSON.stringify(method)} is not supported: ${why}` };
  }
  const checkedHeaders = comparisons(headers, "headers", (name) => name.toLowerCase());
  if ("fault" in checkedHeaders) return checkedHeaders;
  const unknown = checkedHeaders.value.find(({ name }) => !headerName.test(name));
  if (unknown !== undefined) {
    return { fault: `headers: name ${JSON.stringify(unknown.name)} may have letters, digits and "-" only` };
  }
  const checkedParams = comparisons(queryParams, "queryParams", (name) => name);
  if ("fault" in checkedParams) return checkedParams;
  return {
    value: {
      path: checkedPath.value,
      method,
      headers: checkedHeaders.value,
      queryParams: checkedParams.value,
    },
  };
}

/** Of several comparisons with the same name, the first one counts. */
function comparisons(
  list: readonly Comparison[],
  field: string,
  normalize: (name: string) => string,
): Checked<readonly NameAndValue[]> {
  if (list.length === 0) return { value: [] };
  const values = new Map<string, NameAndValue>();
  for (const { type, name, value } of list) {
    const quoted = JSON.stringify(name);
    if (type !== "Exact") return { fault: `${field}: type ${type} of ${quoted} is not supported: use Exact` };
    if (hasControlCharacters(name) || hasControlCharacters(value)) {
      return { fault: `${field}: ${quoted} must not have control characters in its name or value` };
    }
    const key = normalize(name);
    if (!values.has(key)) values.set(key, { name: key, value });
  }
  return { value: [...values.values()] };
}
