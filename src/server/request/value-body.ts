import type { Json } from "../../model/core.js";
import { isJsonObject } from "../../model/object/json.js";
import { decodeBody, decodePatch } from "../decode/body.js";
import type { Body, PatchBody, PatchType } from "../decode/decoded-body.js";
import { jsonCopy } from "../decode/json-copy.js";
import type { ExpectedBody, RequestBody } from "./api-request.js";

const mediaTypes: Readonly<Record<PatchType, string>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

/**
 * Body of a request from this process. The value is copied, so that the caller may change it afterwards. A value that is not an
 * object goes through the decoder, which refuses it with the same error as over HTTP.
 */
export class ValueBody implements RequestBody {
  readonly #value: unknown;
  readonly #patchType: PatchType;

  constructor(value: unknown, patchType: PatchType = "merge") {
    this.#value = value;
    this.#patchType = patchType;
  }

  object(expected: ExpectedBody): Body | Promise<Body> {
    const object = jsonCopy(this.#value);
    if (isJsonObject(object)) return { object, fresh: true };
    return decodeBody(encode(object), "application/json", expected);
  }

  patch(expected: ExpectedBody): PatchBody | Promise<PatchBody> {
    const type = this.#patchType;
    const object = jsonCopy(this.#value);
    // The decoder checks the operations of a JSON Patch.
    const isAccepted = type === "strategic" ? expected.type.capabilities.strategicMerge : type !== "json";
    if (isAccepted && isJsonObject(object)) return { type, body: { object, fresh: true } };
    return decodePatch(encode(object), mediaTypes[type], expected);
  }

  deleteOptions(): Json {
    return jsonCopy(this.#value);
  }
}

function encode(value: Json): Buffer {
  return Buffer.from(JSON.stringify(value));
}
