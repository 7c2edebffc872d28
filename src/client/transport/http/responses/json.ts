import { constants } from "node:buffer";
import { ConnectionError } from "../../transport.js";
import { excerpt } from "./failure.js";

/** Parses the body of a response, which must be a JSON object. */
export function readJson(body: Buffer, title: string): Record<string, unknown> {
  if (body.length > constants.MAX_STRING_LENGTH) {
    throw new ConnectionError(
      `the response to ${title} has ${body.length} bytes, more than a JavaScript string can hold; list in pages, with a limit`,
    );
  }
  let json: unknown;
  try {
    json = JSON.parse(body.toString());
  } catch (cause) {
    throw new ConnectionError(notJson(body, title), { cause });
  }
  if (typeof json === "object" && json !== null && !Array.isArray(json))
    return json as Record<string, unknown>;
  throw new ConnectionError(notJson(body, title));
}

function notJson(body: Buffer, title: string): string {
  const begins = body.length === 0 ? "nothing at all" : `something else: ${excerpt(body)}`;
  return (
    `the server should have answered ${title} with a JSON object, but sent ${begins}. ` +
    `Is it a Kubernetes API, or does a proxy or a login page stand in between?`
  );
}
