import type { Json, KubeObject } from "../../model/core.js";

/** Replacement of a secret value. */
const hidden = "[hidden]";

/** Names of fields with secret values: whole words, so that `tokenReview` or `secretName` stay readable. */
const secretName =
  /^(authorization|cookie|set-cookie|credentials?|(.*[._-])?(password|passwd|passphrase|secret|token|api[._-]?key|private[._-]?key)|.*(Password|Secret|Token|ApiKey|PrivateKey|SecretKey|AccessKey))$/i;

/** Default depth beyond which values are not searched. */
const maxDepth = 6;

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/**
 * A copy without the contents of Secrets, and without strings in fields that are named like a secret, down to a depth. The value
 * itself if it has none of these.
 */
export function withoutSecrets(value: unknown, depth = maxDepth): unknown {
  if (typeof value !== "object" || value === null || value instanceof Error || depth < 0) return value;
  // Values with a serialisation of their own, such as dates.
  if ("toJSON" in value || ArrayBuffer.isView(value)) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutSecrets(item, depth - 1));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  let copy: Record<string, unknown> | undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  const isSecret = fields["kind"] === "Secret";
  for (const [name, field] of Object.entries(fields)) {
    const clean =
      isSecret && (name === "data" || name === "stringData") ? hideAll(field) : hide(name, field, depth);
    if (clean === field) continue;
    copy ??= { ...fields };
    copy[name] = clean;
  }
  const clean = copy ?? fields;
  return isSecret ? withoutLastApplied(clean) : clean;
}

function hide(name: string, field: unknown, depth: number): unknown {
  if (typeof field === "string" && field !== "" && secretName.test(name)) return hidden;
  return withoutSecrets(field, depth - 1);
}

function hideAll(data: unknown): unknown {
  if (typeof data !== "object" || data === null) return data;
  return Object.fromEntries(Object.keys(data).map((key) => [key, hidden]));
}

/** kubectl keeps a copy of the applied object in an annotation, with the data. */
function withoutLastApplied(secret: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const metadata = secret["metadata"] as KubeObject["metadata"] | undefined;
  if (metadata?.annotations?.[lastApplied] === undefined) return secret;
  return {
    ...secret,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [lastApplied]: hidden } },
  };
}

/**
 * Two versions of an object for a diff. For a Secret they show the names of its entries and which have changed, not their
 * values.
 */
export function comparableVersions(
  before: KubeObject | undefined,
  after: KubeObject | undefined,
): readonly [Json | undefined, Json | undefined] {
  const isSecret = (after ?? before)?.kind === "Secret";
  if (!isSecret) return [before as Json | undefined, after as Json | undefined];
  return [masked(before, undefined), masked(after, before)];
}

function masked(secret: KubeObject | undefined, earlier: KubeObject | undefined): Json | undefined {
  if (secret === undefined) return undefined;
  const clean = withoutSecrets(secret) as Record<string, Json>;
  for (const field of ["data", "stringData"]) {
    const now = entries(secret, field);
    if (now === undefined) continue;
    const old = entries(earlier, field);
    clean[field] = Object.fromEntries(
      Object.entries(now).map(([key, value]) => {
        const changed = old !== undefined && key in old && old[key] !== value;
        return [key, changed ? `${hidden} changed` : hidden];
      }),
    );
  }
  return clean;
}

function entries(
  secret: KubeObject | undefined,
  field: string,
): Readonly<Record<string, unknown>> | undefined {
  return (secret as Readonly<Record<string, unknown>> | undefined)?.[field] as
    | Record<string, unknown>
    | undefined;
}
