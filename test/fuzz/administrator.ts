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

interface Item {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly deletionTimestamp?: string;
  };
}

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

  /**
   * Lets those objects go that controllers work on, if their definition is on its way out: as long as it is, no control plane
   * starts that defines them.
   */
  async release(): Promise<void> {
    const { items } = (await this.readJson(definitions)) as unknown as { items: Item[] };
    const definition = items.find(({ metadata }) => metadata.name === "notes.tended.dev");
    if (definition?.metadata.deletionTimestamp === undefined) return;
    const notes = (await this.readJson("/apis/tended.dev/v1/notes")) as unknown as { items: Item[] };
    for (const { metadata } of notes.items) {
      const target = `/apis/tended.dev/v1/namespaces/${metadata.namespace}/notes/${metadata.name}`;
      await this.#write("PATCH", target, "application/merge-patch+json", { metadata: { finalizers: null } });
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
