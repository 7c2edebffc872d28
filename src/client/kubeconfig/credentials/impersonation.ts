import type { HeaderLines } from "../../transport/connection.js";
import type { Impersonation } from "../kubeconfig.js";
import { KubeconfigError } from "../kubeconfig-error.js";

/** Impersonation headers; one header per group, since a group may contain a comma. */
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

/** UTF-8 bytes as latin1 characters, which Node writes to a header unchanged. */
function headerValue(text: string): string {
  return Buffer.from(text).toString("latin1");
}

/** Percent-encodes characters that a header name cannot contain, and the percent sign. */
function headerName(key: string): string {
  return key.replace(/[^A-Za-z0-9!#$&'*+.^_`|~-]/gu, (character) =>
    [...Buffer.from(character)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
      .join(""),
  );
}
