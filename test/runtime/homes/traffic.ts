import { setImmediate as turn } from "node:timers/promises";
import type { Transport } from "../../../src/client/transport/transport.js";
import { VirtualClock } from "../../../src/model/index.js";

/**
 * The calls that are under way. A virtual clock knows only of promises; a server elsewhere takes real time, and a timeout
 * must not pass while its answer is on the way.
 */
export class Traffic {
  #calls = 0;
  #ring = (): void => {};

  /** A clock that waits for all answers before it goes on to the next timer. */
  clock(): VirtualClock {
    return new VirtualClock(undefined, { settle: () => this.#settled() });
  }

  /** The transport, with its calls counted; a watch is none, since it never ends. */
  over(transport: Transport): Transport {
    return new Proxy(transport, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== "function") return value;
        const method = value.bind(target) as (...options: unknown[]) => unknown;
        if (name === "watch" || typeof name === "symbol") return method;
        return (...options: unknown[]) => this.#count(method(...options));
      },
    });
  }

  #count(answer: unknown): unknown {
    if (!(answer instanceof Promise)) return answer;
    this.#calls++;
    return answer.finally(() => {
      this.#calls--;
      this.#ring();
    });
  }

  async #settled(): Promise<void> {
    do {
      while (this.#calls > 0) await new Promise<void>((resolve) => (this.#ring = resolve));
      // What an answer leads to may be another call.
      await turn();
    } while (this.#calls > 0);
  }
}
