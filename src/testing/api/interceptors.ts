import type { Page, Transport } from "../../client/transport/transport.js";
import type { KubeObject } from "../../model/core.js";
import { hooked, type Batches, type Call, type TransportMethod } from "./calls.js";

/** Handles a request in place of the API. `next` sends the request; call it before or after a fault, or not at all. */
export type Interceptor<Response> = (
  next: () => Promise<Response>,
  call: Call,
) => Promise<Response> | Response;

/**
 * Interceptors by verb.
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
  /** Includes server-side apply, for which `call.patch.type` is `apply`. */
  readonly patch?: Interceptor<KubeObject> | undefined;
  readonly delete?: Interceptor<KubeObject | undefined> | undefined;
  readonly deleteCollection?: Interceptor<readonly KubeObject[]> | undefined;
  readonly watch?: ((next: () => Batches, call: Call) => Batches) | undefined;
}

/** Set of interceptors. The one added last gets a request first. */
export class Interception {
  readonly #all: Interceptors[] = [];

  /** Returns a function that removes them again. */
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
          const interceptor = interceptors[call.verb as TransportMethod] as Interceptor<unknown> | undefined;
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
