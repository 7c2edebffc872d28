import { failures } from "../../../model/core.js";

const tokenVersion = "meta.k8s.io/v1";

/** Position at which a list continues; the content of a continue token. */
export interface Continuation {
  /** Revision of all pages; undefined to continue at the newest one. */
  readonly revision: number | undefined;
  /** Last key of the previous page, without the kind's prefix. */
  readonly after: string;
  /** Objects after `after`, so that the next page need not count them again. */
  readonly remaining?: number | undefined;
}

/** Encodes a token in Kubernetes' format, with `remaining` added as `left`. */
export function formatContinue({ revision, after, remaining }: Continuation): string {
  const token = { v: tokenVersion, rv: revision ?? -1, start: `${after}\0`, left: remaining };
  return Buffer.from(JSON.stringify(token)).toString("base64url");
}

export function parseContinue(text: string): Continuation {
  const { v, rv, start, left } = decode(text);
  if (v !== tokenVersion) throw invalid(": server does not recognize this encoded version");
  if (typeof rv !== "number" || !Number.isSafeInteger(rv) || rv === 0 || rv < -1) {
    throw invalid(`: incorrect encoded start resourceVersion (version ${tokenVersion})`);
  }
  if (typeof start !== "string" || start === "") {
    throw invalid(`: encoded start key empty (version ${tokenVersion})`);
  }
  if (!start.endsWith("\0")) throw invalid("");
  return {
    revision: rv === -1 ? undefined : rv,
    after: start.slice(0, -1),
    ...(typeof left === "number" && Number.isSafeInteger(left) && { remaining: left }),
  };
}

interface Token {
  readonly v?: unknown;
  readonly rv?: unknown;
  readonly start?: unknown;
  readonly left?: unknown;
}

function decode(text: string): Token {
  let token: unknown;
  try {
    token = JSON.parse(Buffer.from(text, "base64url").toString());
  } catch {
    throw invalid("");
  }
  if (typeof token !== "object" || token === null) throw invalid("");
  return token;
}

function invalid(detail: string): Error {
  return failures.badRequest(`invalid continue token: continue key is not valid${detail}`);
}
