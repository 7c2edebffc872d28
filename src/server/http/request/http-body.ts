import type { Json } from "../../../model/core.js";
import { decodeBody, decodePatch } from "../../decode/body.js";
import type { Body, PatchBody } from "../../decode/decoded-body.js";
import { decodeProtobuf } from "../../kinds/protobuf/decode.js";
import type { ExpectedBody, RequestBody } from "../../request/api-request.js";
import { apiVersionOf } from "../../resources/resource-type.js";
import type { Exchange } from "../exchange.js";
import { readBody } from "./read-body.js";

/** Body of an HTTP request; downloaded and decoded when the pipeline asks for it. */
export class HttpBody implements RequestBody {
  readonly #exchange: Exchange;
  readonly #maxBytes: number;

  constructor(exchange: Exchange, maxBytes: number) {
    this.#exchange = exchange;
    this.#maxBytes = maxBytes;
  }

  async object({ type, fieldValidation }: ExpectedBody): Promise<Body> {
    const { apiVersion, kind } = { apiVersion: apiVersionOf(type), kind: type.kind };
    const body = await decodeBody(await this.#bytes(), this.#exchange.header("content-type"), {
      type,
      fieldValidation,
      protobuf: (encoded) => decodeProtobuf(encoded, { apiVersion, kind }),
    });
    return { ...body, fresh: true };
  }

  async patch(expected: ExpectedBody): Promise<PatchBody> {
    return decodePatch(await this.#bytes(), this.#exchange.header("content-type"), expected);
  }

  async deleteOptions(): Promise<Json | undefined> {
    const bytes = await this.#bytes();
    if (bytes.length === 0) return undefined;
    const { object } = await decodeBody(bytes, this.#exchange.header("content-type"), {
      type: { kind: "DeleteOptions", capabilities: { protobuf: true, strategicMerge: false } },
      fieldValidation: "Ignore",
      protobuf: (encoded) => decodeProtobuf(encoded, { apiVersion: "v1", kind: "DeleteOptions" }),
    });
    return object;
  }

  #bytes(): Promise<Buffer> {
    return readBody(this.#exchange, this.#maxBytes);
  }
}
