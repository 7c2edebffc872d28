import { parse } from "yaml";
import type { JsonObject } from "../../src/model/core.js";
import { widgetDefinition } from "../server/widgets.js";
import type { FuzzRequest } from "./requests/draft.js";
import { namespaces } from "./requests/generate.js";
import { Session } from "./session.js";
import type { Answer } from "./wire/answer.js";
import type { Address } from "./wire/http1.js";

/** One who asks properly, before the others come and after they have left. */
export class Administrator {
  readonly #session: Session;

  constructor(address: Address) {
    this.#session = new Session(address);
  }

  /** What is at a path. Throws unless it is there. */
  async read(target: string, accept = "application/json"): Promise<Buffer> {
    const { code, body } = await this.#call({
      method: "GET",
      target,
      headers: [["accept", accept]],
      body: undefined,
    });
    if (code !== 200)
      throw new Error(`GET ${target} as ${accept} answers ${code}: ${body.toString().slice(0, 500)}`);
    return body;
  }

  async readJson(target: string): Promise<JsonObject> {
    return JSON.parse((await this.read(target)).toString()) as JsonObject;
  }

  /** Makes what must be there for most requests to mean anything. */
  async prepare(): Promise<void> {
    await this.#create(
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      parse(widgetDefinition) as JsonObject,
    );
    for (const name of namespaces) await this.#create("/api/v1/namespaces", { metadata: { name } });
  }

  close(): void {
    this.#session.close();
  }

  async #create(target: string, object: JsonObject): Promise<void> {
    const headers: [string, string][] = [["content-type", "application/json"]];
    const { code, body } = await this.#call({
      method: "POST",
      target,
      headers,
      body: Buffer.from(JSON.stringify(object)),
    });
    if (code !== 201 && code !== 409) throw new Error(`POST ${target} answers ${code}: ${body.toString()}`);
  }

  #call(request: Pick<FuzzRequest, "method" | "target" | "headers" | "body">): Promise<Answer> {
    const whole = { family: "", verb: "", lies: false, waits: false, broken: [], ...request };
    return this.#session.send(this.#session.complete(whole), false);
  }
}
