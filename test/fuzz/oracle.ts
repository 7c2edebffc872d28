import { gunzipSync } from "node:zlib";
import { parse } from "yaml";
import type { FuzzRequest } from "./requests/draft.js";
import type { Answer } from "./wire/answer.js";

type Asked = Pick<FuzzRequest, "method" | "target" | "lies">;

/** Problem of a response; undefined when there is none. */
export function faultOf(request: Asked, answer: Answer): string | undefined {
  const { code, headers, body, ending } = answer;
  if (code === 0) return request.lies ? undefined : "the connection ended without an answer";
  if (ending === "cut" && !request.lies) return `the answer ${code} is not whole`;
  if (code >= 500 && !(code === 504 && mayTimeOut(request.target))) return `${code}: ${start(body)}`;
  if (code < 400) return faultOfSuccess(request, answer);
  if (request.method === "HEAD") return undefined;
  const type = headers.get("content-type") ?? "";
  if (type.startsWith("text/plain")) {
    return code === 404 && body.toString() === "404 page not found\n"
      ? undefined
      : `${code} in words: ${start(body)}`;
  }
  if (code === 429 && !/^[1-9]\d*$/.test(headers.get("retry-after") ?? ""))
    return "429 that does not say when to come again";
  return faultOfStatus(code, body);
}

/** 504 is allowed for requests with a short timeout, or for a resourceVersion in the future. */
function mayTimeOut(target: string): boolean {
  return target.includes("timeout=") || target.includes("resourceVersion=");
}

/** Required reasons by code: clients depend on them to list again or to wait. */
const reasons: ReadonlyMap<number, readonly string[]> = new Map([
  [410, ["Expired", "Gone"]],
  [429, ["TooManyRequests"]],
]);

/** Checks what clients need in a failure: a well-formed Status with a reason and a message. */
function faultOfStatus(code: number, body: Buffer): string | undefined {
  let status: Record<string, unknown>;
  try {
    status = JSON.parse(body.toString()) as Record<string, unknown>;
  } catch {
    return `${code} without a Status: ${start(body)}`;
  }
  const { kind, status: outcome, code: parsed, reason, message } = status;
  if (kind !== "Status" || outcome !== "Failure") return `${code} without a Status: ${start(body)}`;
  if (parsed !== code) return `the Status of a ${code} says ${String(parsed)}`;
  if (typeof reason !== "string" || reason === "") return `${code} without a reason: ${start(body)}`;
  if (reasons.get(code)?.includes(reason) === false) return `${code} with the reason ${reason}`;
  if (typeof message !== "string" || message.trim() === "")
    return `${code} without a message: ${start(body)}`;
  if (/\bat \S+ \(|\/dist\/|node:internal|TypeError|undefined is not|Cannot read prop/.test(message)) {
    return `${code} with words of our own code: ${message.slice(0, 300)}`;
  }
  return undefined;
}

function faultOfSuccess({ method, target }: Asked, answer: Answer): string | undefined {
  const { code, headers, body, ending } = answer;
  if (method === "HEAD" || body.length === 0 || headers.has("content-encoding")) return undefined;
  const type = headers.get("content-type") ?? "";
  try {
    if (isStream(answer)) return faultOfLines(target, linesOf(answer));
    if (ending !== "whole") return undefined;
    if (type.startsWith("application/json")) JSON.parse(body.toString());
    else if (type.startsWith("application/yaml") && body.length < 20_000) parse(body.toString());
    else if (type === "application/gzip") gunzipSync(body);
  } catch (error) {
    return `${code} with a body that is no ${type}: ${String(error)}: ${start(body)}`;
  }
  return undefined;
}

/** True for watches and other streams, which have one document per line. */
function isStream({ headers }: Answer): boolean {
  return (
    !headers.has("content-length") && /^application\/(json|x-ndjson)/.test(headers.get("content-type") ?? "")
  );
}

/** Complete lines. */
function linesOf({ body, ending }: Answer): string[] {
  const lines = body.toString().split("\n");
  return (ending === "whole" ? lines : lines.slice(0, -1)).filter((line) => line !== "");
}

/** Checks a stream, which reports a failure in a line because its status has been sent already. */
function faultOfLines(target: string, lines: readonly string[]): string | undefined {
  for (const line of lines) {
    const parsed = JSON.parse(line) as { type?: string; kind?: string; object?: unknown } | null;
    const failed = parsed?.type === "ERROR" ? parsed.object : parsed?.kind === "Status" ? parsed : undefined;
    if (failed === undefined) continue;
    const code = Number((failed as { code?: number }).code);
    if (code >= 500 && !(code === 504 && mayTimeOut(target))) return `in a stream, ${line.slice(0, 500)}`;
    const fault = faultOfStatus(code, Buffer.from(JSON.stringify(failed)));
    if (fault !== undefined) return `in a stream, ${fault}`;
  }
  return undefined;
}

function start(body: Buffer): string {
  return JSON.stringify(body.subarray(0, 500).toString());
}
