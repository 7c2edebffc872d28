import { request, type Agent } from "undici";
import { Comparables, type Answer, type Comparable } from "./comparable.js";
import type { Step } from "./step.js";

/** URL and credentials of a server. */
export interface Access {
  readonly url: string;
  readonly agent: Agent;
  readonly tokens: Readonly<Record<string, string>>;
}

/** Milliseconds to wait for a kind to be served and for events of a watch. */
const patience = 20_000;

/** One of the two servers during one scenario. Later requests can refer to earlier responses. */
export class Side {
  readonly #access: Access;
  readonly #namespace: string;
  readonly #answers = new Map<string, string>();
  readonly #comparables: Comparables;

  constructor(access: Access, namespace: string) {
    this.#access = access;
    this.#namespace = namespace;
    this.#comparables = new Comparables(Number(new URL(access.url).port));
  }

  async run(step: Step): Promise<Comparable> {
    const answer = await (step.method === "WAIT" ? this.#wait(step) : this.#send(step));
    if (step.name !== undefined) this.#answers.set(step.name, answer.text);
    if (step.method === "PATCH" || step.method === "PUT") await this.#caughtUp(step, answer);
    return this.#comparables.of(answer);
  }

  async #wait(step: Step): Promise<Answer> {
    const deadline = Date.now() + patience;
    for (;;) {
      const answer = await this.#send(step);
      const isThere = answer.code < 300 && answer.text.includes(step.text ?? "");
      if (isThere || Date.now() > deadline) return answer;
    }
  }

  /**
   * Kubernetes applies a patch to a cached object and retries when that is stale, but keeps the warnings of the first
   * try. So the next step waits until the cache has this write.
   */
  async #caughtUp(step: Step, { code, text }: Answer): Promise<void> {
    if (code >= 300 || step.path.includes("dryRun")) return;
    const { metadata } = JSON.parse(text) as { metadata?: { resourceVersion?: string } };
    const target = step.path.replace(/\?.*$/, "").replace(/\/(status|scale)$/, "");
    const path = `${target}?resourceVersion=${metadata?.resourceVersion ?? ""}`;
    await this.#send({ ...step, method: "GET", path, headers: {}, body: undefined });
  }

  async #send({ method, path, headers, body, user, take }: Step): Promise<Answer> {
    const token = this.#access.tokens[user];
    const watching = method === "WATCH";
    const hangUp = new AbortController();
    const response = await request(this.#access.url + this.#fill(path), {
      method: watching || method === "WAIT" ? "GET" : method,
      headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
      body: body === undefined ? null : this.#fill(body),
      dispatcher: this.#access.agent,
      signal: watching ? AbortSignal.any([hangUp.signal, AbortSignal.timeout(patience)]) : hangUp.signal,
    });
    const head = { code: response.statusCode, headers: response.headers };
    if (!watching || response.statusCode !== 200) return { ...head, text: await response.body.text() };
    let text = "";
    try {
      for await (const chunk of response.body) {
        text += String(chunk);
        if (text.split("\n").length > take && take > 0) break;
      }
    } catch (error) {
      text += `(${String(error)})`;
    }
    hangUp.abort();
    return { ...head, text: take > 0 ? text.split("\n").slice(0, take).join("\n") : text };
  }

  /** Replaces `$ns`, and `$a.rv`, `$a.uid`, `$a.name`, `$a.continue` by values of the response named `a`. */
  #fill(text: string): string {
    return text.replaceAll(/\$(\w+)(?:\.(\w+))?/g, (whole, name: string, field: string | undefined) => {
      if (name === "ns") return this.#namespace + (field === undefined ? "" : `.${field}`);
      const answer = this.#answers.get(name);
      if (answer === undefined) return whole;
      const { metadata = {} } = JSON.parse(answer) as { metadata?: Record<string, string> };
      return metadata[field === "rv" ? "resourceVersion" : (field ?? "name")] ?? "";
    });
  }
}
