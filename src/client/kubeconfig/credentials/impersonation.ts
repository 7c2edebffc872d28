import type { HeaderLines } from "../../transport/connection.js";
import type { Impersonation } from "../kubeconfig.js";
import { KubeconfigError } from "../kubeconfig-error.js";

/** The headers that make a request somebody else's; each group on a line of its own, since a comma may be part of it. */
export function impersonationHeaders(as: Impersonation | undefined, where: string): HeaderLines {
  if (as === undefined) return {};
  const { user, uid, groups = [], extra = {} } = as;
  if (!user) {
    if (!uid && groups.length === 0 && Object.keys(extra).length === 0) return {};
    throw new KubeconfigError(
      `${where}: as-uid, as-groups and as-user-extra need as, the user to impersonate`,
    );
  }
  const headers: Record<string, string | string[]> = { "Impersonate-User": headerValue(user) };
  if (uid) headers["Impersonate-Uid"] = headerValue(uid);
  if (groups.length > 0) headers["Impersonate-Group"] = lines(groups);
  for (const [key, values] of Object.entries(extra)) {
    if (values.length > 0) headers[`Impersonate-Extra-${headerName(key)}`] = lines(values);
  }
  return headers;
}

function lines(values: readonly string[]): string | string[] {
  const encoded = values.map(headerValue);
  return encoded.length === 1 ? (encoded[0] ?? "") : encoded;
}

/** UTF-8, one character per byte: that is how Node takes bytes for a header. */
function headerValue(text: string): string {
  return Buffer.from(text).toString("latin1");
}

/** What a header's name cannot hold is percent-encoded, and so is the percent sign. */
function headerName(key: string): string {
  return key.replace(/[^A-Za-z0-9!#$&'*+.^_`|~-]/gu, (character) =>
    [...Buffer.from(character)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
      .join(""),
  );
}
