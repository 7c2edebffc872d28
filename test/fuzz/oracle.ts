import { gunzipSync } from "node:zlib";
import { parse } from "yaml";
import type { FuzzRequest } from "./requests/draft.js";
import type { Answer } from "./wire/answer.js";

type Asked = Pick<FuzzRequest, "method" | "target" | "lies">;

/** What is wrong with an answer; undefined when nothing is. */
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

/** 504 is promised to those who ask for little time, and to those who ask for what has yet to happen. */
function mayTimeOut(target: string): boolean {
  return target.includes("timeout=") || target.includes("resourceVersion=");
}

/** By code, the reasons by which clients know what to do next: to list anew, to wait. */
const reasons: ReadonlyMap<number, readonly string[]> = new Map([
  [410, ["Expired", "Gone"]],
  [429, ["TooManyRequests"]],
]);

/** What clients rely on in a failure: that they can read it, and that it says what and why. */
function faultOfStatus(code: number, body: Buffer): string | undefined {
  let status: Record<string, unknown>;
  try {
    status = JSON.parse(body.toString()) as Record<string, unknown>;
  } catch {
    return `${code} without a Status: ${start(body)}`;
  }
  const { kind, status: outcome, code: said, reason, message } = status;
  if (kind !== "Status" || outcome !== "Failure") return `${code} without a Status: ${start(body)}`;
  if (said !== code) return `the Status of a ${code} says ${String(said)}`;
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

/** Watches, and what is followed: many documents, a line each. */
function isStream({ headers }: Answer): boolean {
  return (
    !headers.has("content-length") && /^application\/(json|x-ndjson)/.test(headers.get("content-type") ?? "")
  );
}

/** Those that have come in full. */
function linesOf({ body, ending }: Answer): string[] {
  const lines = body.toString().split("\n");
  return (ending === "whole" ? lines : lines.slice(0, -1)).filter((line) => line !== "");
}

/** The head of a stream has been sent when something fails: a line says so in its place. */
function faultOfLines(target: string, lines: readonly string[]): string | undefined {
  for (const line of lines) {
    const said = JSON.parse(line) as { type?: string; kind?: string; object?: unknown } | null;
    const failed = said?.type === "ERROR" ? said.object : said?.kind === "Status" ? said : undefined;
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
