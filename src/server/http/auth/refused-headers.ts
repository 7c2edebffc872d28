import { failures } from "../../../model/core.js";
import type { HttpRequest } from "../exchange.js";

/**
 * Refuses headers that would make a request mean something else to a client or a proxy than to this server:
 *
 * - `Impersonate-*`: ignoring them would run the request with the rights of the caller instead of those it asked for.
 * - A second `Host`, or one that differs from HTTP/2's `:authority`: a proxy may have checked the other one.
 *
 * @throws {ApiError} 403 or 400
 */
export function checkHeaders({ rawHeaders, headers }: HttpRequest): void {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts++;
    else if (isImpersonation(name)) throw impersonationRefused(headers["impersonate-user"]);
  }
  if (hosts > 1) throw failures.badRequest("the request has more than one Host header");
  const authority = headers[":authority"];
  if (authority !== undefined && headers.host !== undefined && headers.host !== authority) {
    throw failures.badRequest("the Host header differs from :authority");
  }
}

const prefix = "impersonate-";

function isImpersonation(name: string): boolean {
  // The first letter decides for nearly all headers, without a lower-case copy.
  const first = name.charCodeAt(0) | 0x20;
  return first === 0x69 && name.length > prefix.length && name.toLowerCase().startsWith(prefix);
}

function impersonationRefused(name: string | string[] | undefined): Error {
  return failures.forbidden(
    { group: "", resource: "users" },
    String(name ?? ""),
    "this server does not support impersonation; remove --as, --as-group and --as-uid, or the Impersonate-* headers",
  );
}
