import type { Json } from "../../../model/core.js";
import { decodeBody, decodePatch } from "../../decode/body.js";
import { maxFieldsOf, type DecodeLimits } from "../../decode/decode-limits.js";
import type { Body, PatchBody } from "../../decode/decoded-body.js";
import { pauseIfExpensive } from "../../event-loop/turns.js";
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

  /** Bodies may be twice as large as objects. */
  get #limits(): Pick<DecodeLimits, "fields"> {
    return { fields: maxFieldsOf(this.#maxBytes / 2) };
  }

  async object({ type, fieldValidation }: ExpectedBody): Promise<Body> {
    const { apiVersion, kind } = { apiVersion: apiVersionOf(type), kind: type.kind };
    const bytes = await this.#bytes();
    const body = await decodeBody(bytes, this.#exchange.header("content-type"), {
      type,
      fieldValidation,
      protobuf: (encoded) => decodeProtobuf(encoded, { apiVersion, kind }, this.#limits.fields),
      limits: this.#limits,
      nextStep: (cost) => this.#pause(bytes, cost),
    });
    await this.#pause(bytes);
    return { ...body, fresh: true, bytes: bytes.length };
  }

  async patch(expected: ExpectedBody): Promise<PatchBody> {
    const bytes = await this.#bytes();
    const { type, body } = await decodePatch(bytes, this.#exchange.header("content-type"), {
      ...expected,
      limits: this.#limits,
      nextStep: (cost) => this.#pause(bytes, cost),
    });
    await this.#pause(bytes);
    return { type, body: { ...body, bytes: bytes.length } };
  }

  async deleteOptions(): Promise<Json | undefined> {
    const bytes = await this.#bytes();
    if (bytes.length === 0) return undefined;
    const { object } = await decodeBody(bytes, this.#exchange.header("content-type"), {
      type: { kind: "DeleteOptions", capabilities: { protobuf: true, strategicMerge: false } },
      fieldValidation: "Ignore",
      protobuf: (encoded) =>
        decodeProtobuf(encoded, { apiVersion: "v1", kind: "DeleteOptions" }, this.#limits.fields),
    });
    return object;
  }

  async #bytes(): Promise<Buffer> {
    const bytes = await readBody(this.#exchange, this.#maxBytes);
    await this.#pause(bytes);
    return bytes;
  }

  /** Lets other requests be handled before the next step with a large body. */
  #pause({ length }: Buffer, cost = 1): Promise<void> | undefined {
    return pauseIfExpensive(this.#exchange.user?.name ?? "", length * cost);
  }
}
