import type { Choices } from "../../fuzz/choices.js";
import type { Failure, PutOperation, Register, Side } from "../history.js";
import { ConnectionLost, NotSent, type Answer, type HttpClient, type Request } from "./http-client.js";
import { registerOf, type Recording, type RegisterObject } from "./recording.js";
import { readRegister } from "./reader.js";
import { listPath, manifest, names, registersPath } from "./registers.js";

const sides: readonly Side[] = ["left", "right"];

type Verb = "create" | "update" | "patch" | "apply" | "delete" | "deletecollection";

const verbs: readonly (readonly [number, Verb])[] = [
  [12, "create"],
  [30, "update"],
  [20, "patch"],
  [15, "apply"],
  [10, "delete"],
  [1, "deletecollection"],
];

/** Client that writes at random, one request at a time. */
export class Writer {
  readonly name: string;
  readonly #http: HttpClient;
  readonly #recording: Recording;
  readonly #choices: Choices;
  /** Version that it has read or written last; used for updates that must conflict if it was replaced. */
  #last: Register | undefined;
  #turn = 0;

  constructor(name: string, http: HttpClient, recording: Recording, choices: Choices) {
    this.name = name;
    this.#http = http;
    this.#recording = recording;
    this.#choices = choices;
  }

  async turn(): Promise<void> {
    const name = this.#choices.pick(names);
    const side = this.#choices.pick(sides);
    const verb = this.#choices.weighted(verbs);
    if (verb === "deletecollection") await this.#deleteCollection(this.#choices.once(3) ? undefined : side);
    else if (verb === "delete") await this.#delete(name);
    else if (verb === "update") await this.#update(name, side);
    else await this.put(verb, name, side);
  }

  /** Writes a register, and returns it if that succeeded. */
  async put(
    verb: PutOperation["verb"],
    name: string,
    side: Side,
    replaced?: Register,
  ): Promise<Register | undefined> {
    const id = `${this.name}.${++this.#turn}`;
    const padding = "x".repeat(this.#choices.below(600));
    const data = { ...replaced?.data, write: id, [this.name]: String(this.#turn), padding };
    const object = manifest(name, side, data, replaced?.revision);
    const { invoked, outcome } = await this.#send(...requestOf(verb, name, object, this.name), (answer) => {
      return { type: "ok" as const, register: registerOf(JSON.parse(answer.text) as RegisterObject) };
    });
    const returned = this.#recording.tick();
    const expects = replaced?.revision;
    this.#recording.add({
      type: "put",
      client: this.name,
      invoked,
      returned,
      verb,
      id,
      name,
      side,
      data,
      expects,
      outcome,
    });
    if (outcome.type !== "ok") return undefined;
    this.#last = outcome.register;
    return outcome.register;
  }

  /** Compare-and-swap of the version that it reads, or of one that it has read some time ago. */
  async #update(name: string, side: Side): Promise<void> {
    const old = this.#choices.once(8) ? this.#last : undefined;
    const read = old ?? (await readRegister(this.#http, this.#recording, this.name, name));
    if (read === undefined) await this.put("create", name, side);
    else await this.put("update", read.name, side, read);
  }

  async #delete(name: string): Promise<void> {
    const expects = this.#choices.once(3) && this.#last?.name === name ? this.#last.revision : undefined;
    const body = {
      kind: "DeleteOptions",
      apiVersion: "v1",
      ...(expects !== undefined && { preconditions: { resourceVersion: String(expects) } }),
    };
    const { invoked, outcome } = await this.#send(
      `${registersPath}/${name}`,
      { method: "DELETE", body },
      (answer) => {
        const { details } = JSON.parse(answer.text) as { details: { uid: string } };
        return { type: "ok" as const, uid: details.uid };
      },
    );
    const returned = this.#recording.tick();
    this.#recording.add({ type: "delete", client: this.name, invoked, returned, name, expects, outcome });
  }

  async #deleteCollection(side: Side | undefined): Promise<void> {
    const path = listPath({ labelSelector: side && `side=${side}` });
    const { invoked, outcome } = await this.#send(path, { method: "DELETE" }, (answer) => {
      const { items } = JSON.parse(answer.text) as { items: RegisterObject[] };
      return { type: "ok" as const, uids: items.map(({ metadata }) => metadata.uid) };
    });
    const returned = this.#recording.tick();
    this.#recording.add({ type: "deletecollection", client: this.name, invoked, returned, side, outcome });
  }

  async #send<Ok>(
    path: string,
    request: Request,
    read: (answer: Answer) => Ok,
  ): Promise<{ invoked: number; outcome: Ok | Failure }> {
    const invoked = this.#recording.tick();
    try {
      const answer = await this.#http.ask(path, request);
      return { invoked, outcome: answer.code < 300 ? read(answer) : failureOf(answer) };
    } catch (error) {
      if (error instanceof NotSent)
        return { invoked, outcome: { type: "refused", code: 0, reason: "NotSent" } };
      if (error instanceof ConnectionLost)
        return { invoked, outcome: { type: "unknown", cause: error.message } };
      throw error;
    }
  }
}

function requestOf(
  verb: PutOperation["verb"],
  name: string,
  object: object,
  manager: string,
): [string, Request] {
  const path = `${registersPath}/${name}`;
  switch (verb) {
    case "create":
      return [registersPath, { method: "POST", body: object }];
    case "update":
      return [path, { method: "PUT", body: object }];
    case "patch":
      return [path, { method: "PATCH", body: object, contentType: "application/merge-patch+json" }];
    case "apply":
      return [
        `${path}?fieldManager=${manager}&force=true`,
        { method: "PATCH", body: object, contentType: "application/apply-patch+yaml" },
      ];
  }
}

/** A timeout is the only response of a server after which the write may have happened. */
function failureOf({ code, text }: Answer): Failure {
  if (code === 504) return { type: "unknown", cause: `${code} ${text}` };
  const { reason = "" } = JSON.parse(text) as { reason?: string };
  return { type: "refused", code, reason };
}
