import { createHmac, timingSafeEqual } from "node:crypto";

/*
 * Signatures by the specification "Standard Webhooks", for which receivers have libraries in many languages: three headers, and an
 * HMAC-SHA256 over id, time and body.
 */

const prefix = "whsec_";

export interface SignedMessage {
  /** Id of the event. */
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly body: string | Uint8Array;
}

/** Headers that sign a message. */
export function signatureHeaders(secret: string, message: SignedMessage): Readonly<Record<string, string>> {
  return {
    "webhook-id": message.id,
    "webhook-timestamp": String(message.timestamp),
    "webhook-signature": `v1,${digest(secret, message).toString("base64")}`,
  };
}

/** A message without a valid signature. */
export class SignatureError extends Error {
  override readonly name = "SignatureError";
}

/**
 * Checks the signature of a message that an HTTP sink has sent.
 *
 * @example
 * verifySignature(process.env.WEBHOOK_SECRET, request.headers, body);
 *
 * @throws {SignatureError} if a header is missing, the signature is wrong, or the message is older than the tolerance.
 */
export function verifySignature(
  secret: string,
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  body: string | Uint8Array,
  { tolerance = 300, now = Date.now() / 1000 }: { readonly tolerance?: number; readonly now?: number } = {},
): void {
  const [id, time, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => {
    const value = headers[name];
    if (typeof value === "string" && value !== "") return value;
    throw new SignatureError(`the header ${name} is missing`);
  }) as [string, string, string];
  const timestamp = Number(time);
  if (!Number.isInteger(timestamp) || Math.abs(now - timestamp) > tolerance) {
    throw new SignatureError(`the message was not sent within the last ${tolerance} seconds`);
  }
  const expected = digest(secret, { id, timestamp, body });
  const isValid = signatures.split(" ").some((each) => {
    const [version, value = ""] = each.split(",");
    const given = Buffer.from(value, "base64");
    return version === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isValid) throw new SignatureError("the signature does not match the message");
}

function digest(secret: string, { id, timestamp, body }: SignedMessage): Buffer {
  const key = secret.startsWith(prefix) ? Buffer.from(secret.slice(prefix.length), "base64") : secret;
  return createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();
}
