import type { Page, Transport } from "../../client/transport/transport.js";
import type { KubeObject } from "../../model/core.js";
import { hooked, type Batches, type Call, type Verb } from "./calls.js";

/** Stands between a client and the API: passes a request on with `next`, before or after its fault, or not at all. */
export type Interceptor<Answer> = (next: () => Promise<Answer>, call: Call) => Promise<Answer> | Answer;

/**
 * What happens to requests, by verb.
 *
 * @example
 * // The first write of a status fails.
 * let first = true;
 * client.intercept({
 *   patch: (next, { subresource }) => {
 *     if (subresource !== "status" || !first) return next();
 *     first = false;
 *     throw new Error("the network is down");
 *   },
 * });
 */
export interface Interceptors {
  readonly get?: Interceptor<KubeObject> | undefined;
  readonly list?: Interceptor<Page> | undefined;
  readonly create?: Interceptor<KubeObject> | undefined;
  readonly update?: Interceptor<KubeObject> | undefined;
  /** Also server-side apply: `call.patch.type` is `apply` then. */
  readonly patch?: Interceptor<KubeObject> | undefined;
  readonly delete?: Interceptor<KubeObject | undefined> | undefined;
  readonly deleteCollection?: Interceptor<readonly KubeObject[]> | undefined;
  readonly watch?: ((next: () => Batches, call: Call) => Batches) | undefined;
}

/** Interceptors that come and go. The last that came sees a request first. */
export class Interception {
  readonly #all: Interceptors[] = [];

  /** What is returned takes them away again. */
  add(interceptors: Interceptors): () => void {
    const own = { ...interceptors };
    this.#all.push(own);
    return () => {
      const index = this.#all.indexOf(own);
      if (index >= 0) this.#all.splice(index, 1);
    };
  }

  over(base: Transport, close?: () => Promise<void>): Transport {
    return hooked(base, {
      close,
      call: async (call, next) => {
        let through: () => Promise<unknown> = next;
        for (const interceptors of this.#all) {
          const interceptor = interceptors[call.verb as Verb] as Interceptor<unknown> | undefined;
          if (interceptor === undefined) continue;
          const inner = through;
          through = async () => interceptor(inner, call);
        }
        return (await through()) as never;
      },
      watch: (call, next) => {
        let through = next;
        for (const { watch } of this.#all) {
          if (watch === undefined) continue;
          const inner = through;
          through = () => watch(inner, call);
        }
        return through();
      },
    });
  }
}
