import { parse } from "yaml";
import type { FuzzRequest } from "./requests/draft.js";
import type { Answer } from "./wire/answer.js";

/** What is wrong with an answer; undefined when nothing is. */
export function faultOf(
  request: Pick<FuzzRequest, "method" | "target" | "lies">,
  answer: Answer,
): string | undefined {
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
  return faultOfStatus(code, body);
}

/** 504 is promised to those who ask for little time, and to those who ask for what has yet to happen. */
function mayTimeOut(target: string): boolean {
  return target.includes("timeout=") || target.includes("resourceVersion=");
}

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
  if (typeof message !== "string" || message.trim() === "")
    return `${code} without a message: ${start(body)}`;
  if (/\bat \S+ \(|\/dist\/|node:internal|TypeError|undefined is not|Cannot read prop/.test(message)) {
    return `${code} with words of our own code: ${message.slice(0, 300)}`;
  }
  return undefined;
}

function faultOfSuccess({ method }: Pick<FuzzRequest, "method">, answer: Answer): string | undefined {
  const { code, headers, body, ending } = answer;
  if (method === "HEAD" || ending !== "whole" || body.length === 0 || headers.has("content-encoding"))
    return undefined;
  const type = headers.get("content-type") ?? "";
  try {
    if (type.startsWith("application/json")) for (const text of documentsOf(headers, body)) JSON.parse(text);
    else if (type.startsWith("application/yaml") && body.length < 20_000) parse(body.toString());
  } catch (error) {
    return `${code} with a body that is no ${type}: ${String(error)}: ${start(body)}`;
  }
  return undefined;
}

/** A watch that has ended is many documents, a line each. */
function documentsOf(headers: ReadonlyMap<string, string>, body: Buffer): string[] {
  const text = body.toString();
  return headers.has("content-length") ? [text] : text.split("\n").filter((line) => line !== "");
}

function start(body: Buffer): string {
  return JSON.stringify(body.subarray(0, 500).toString());
}
