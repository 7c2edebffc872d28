import { parse } from "yaml";
import type { JsonObject } from "../../src/model/core.js";
import { widgetDefinition } from "../server/widgets.js";
import type { FuzzRequest } from "./requests/draft.js";
import { namespaces } from "./requests/generate.js";
import { tended } from "./requests/management.js";
import { Session } from "./session.js";
import type { Answer } from "./wire/answer.js";
import type { Address } from "./wire/http1.js";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Client that sends valid requests before and after the fuzzing. */
export class Administrator {
  readonly #session: Session;

  constructor(address: Address) {
    this.#session = new Session(address);
  }

  /** Body at a path. Throws unless the status is 200. */
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

  /** Creates the objects that most requests refer to. */
  async prepare(): Promise<void> {
    await this.#create(definitions, parse(widgetDefinition) as JsonObject);
    for (const name of namespaces) await this.#create("/api/v1/namespaces", { metadata: { name } });
    for (const name of tended) {
      await this.#create("/api/v1/namespaces/default/configmaps", { metadata: { name } });
      await this.#create("/apis/tended.dev/v1/namespaces/default/notes", {
        apiVersion: "tended.dev/v1",
        kind: "Note",
        metadata: { name },
        spec: {},
      });
    }
  }

  close(): void {
    this.#session.close();
  }

  async #create(target: string, object: JsonObject): Promise<void> {
    const { code, body } = await this.#write("POST", target, "application/json", object);
    if (code !== 201 && code !== 409) throw new Error(`POST ${target} answers ${code}: ${body.toString()}`);
  }

  #write(method: string, target: string, type: string, value: JsonObject): Promise<Answer> {
    const body = Buffer.from(JSON.stringify(value));
    return this.#call({ method, target, headers: [["content-type", type]], body });
  }

  #call(request: Pick<FuzzRequest, "method" | "target" | "headers" | "body">): Promise<Answer> {
    const whole = { family: "", verb: "", lies: false, waits: false, broken: [], ...request };
    return this.#session.send(this.#session.complete(whole), false);
  }
}
