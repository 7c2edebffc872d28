import { setImmediate as turn } from "node:timers/promises";
import type { Transport } from "../../../src/client/transport/transport.js";
import { VirtualClock } from "../../../src/model/index.js";

/**
 * Counter of pending requests. A virtual clock sees promises only, while a server elsewhere takes real time; no timeout
 * may pass while a response is pending.
 */
export class Traffic {
  #calls = 0;
  #ring = (): void => {};

  /** Clock that waits for all responses before it moves to the next timer. */
  clock(): VirtualClock {
    return new VirtualClock(undefined, { settle: () => this.#settled() });
  }

  /** Transport whose requests are counted, except watches, which never end. */
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
      // A response may lead to another request.
      await turn();
    } while (this.#calls > 0);
  }
}
