import { STATUS_CODES, type IncomingHttpHeaders } from "node:http";
import { fromStatus, type ApiError, type ApiStatus } from "../../../../model/core.js";

const longestExcerpt = 200;

/**
 * Error of a failed response: the Status that the server sent, or one made from the response of a proxy. `wait` is the
 * Retry-After in milliseconds.
 */
export function responseError(
  code: number,
  headers: IncomingHttpHeaders,
  body: Buffer,
  wait: number | undefined,
): ApiError {
  const status = statusIn(body) ?? { message: describe(code, headers, body) };
  const retryAfterSeconds = status.details?.retryAfterSeconds ?? (wait && Math.ceil(wait / 1000));
  return fromStatus({
    ...status,
    code: status.code ?? code,
    ...(retryAfterSeconds && { details: { ...status.details, retryAfterSeconds } }),
  });
}

function statusIn(body: Buffer): Partial<ApiStatus> | undefined {
  // 123 is "{": HTML and plain text are not parsed.
  if (body[0] !== 123) return undefined;
  try {
    const json = JSON.parse(body.toString()) as Partial<ApiStatus>;
    return json.kind === "Status" ? json : undefined;
  } catch {
    return undefined;
  }
}

function describe(code: number, headers: IncomingHttpHeaders, body: Buffer): string {
  const words = STATUS_CODES[code];
  const target = headers.location === undefined ? "" : `, sending us to ${headers.location}`;
  const text = excerpt(body);
  return `the server answered ${code}${words === undefined ? "" : ` (${words})`}${target}${text === "" ? "" : `: ${text}`}`;
}

/** Start of a text on one line, for messages. */
export function excerpt(bytes: Buffer): string {
  const text = bytes
    .subarray(0, longestExcerpt * 4)
    .toString()
    // oxlint-disable-next-line no-control-regex -- control characters are removed from messages
    .replaceAll(/[\s\u0000-\u001F\u007F]+/g, " ")
    .trim();
  return text.length > longestExcerpt ? `${text.slice(0, longestExcerpt)}…` : text;
}
