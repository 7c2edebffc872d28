import { failures } from "../../../model/core.js";

const tokenVersion = "meta.k8s.io/v1";

/** Where a list goes on. */
export interface Continuation {
  /** The revision all pages show; undefined to go on with the newest state. */
  readonly revision: number | undefined;
  /** The last key that was listed, without the kind's prefix. */
  readonly after: string;
  /** How many objects come behind it, so that no page has to count them again. */
  readonly left?: number | undefined;
}

/** Opaque to clients; the form is Kubernetes' own, with the count added. */
export function formatContinue({ revision, after, left }: Continuation): string {
  const token = { v: tokenVersion, rv: revision ?? -1, start: `${after}\0`, left };
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
    ...(typeof left === "number" && Number.isSafeInteger(left) && { left }),
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

function invalid(why: string): Error {
  return failures.badRequest(`invalid continue token: continue key is not valid${why}`);
}
