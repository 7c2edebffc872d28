import type { Client } from "../../client/client.js";

/** Is told of a call that failed while nobody waited for it. */
export type OnLost = (call: string, error: unknown) => void;

/**
 * A client whose calls may be forgotten. Where an `await` is missing, Node ends the process when the call fails; through this
 * client it is told instead.
 *
 * @example
 * const followed = followClient(client, (call, error) => log.warn({ err: error }, `${call} failed`));
 */
export function followClient(client: Client, onLost: OnLost): Client {
  return new Proxy(client, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      return (...parameters: readonly unknown[]): unknown => {
        const answer: unknown = Reflect.apply(member, target, parameters);
        if (!(answer instanceof Promise)) return answer;
        return new Followed(answer, (error) =>
          onLost(`client.${String(name)}(${kindOf(parameters)})`, error),
        );
      };
    },
  });
}

/** A promise that knows whether anybody waits for it. So do those that are made of it. */
class Followed<T> extends Promise<T> {
  readonly #onLost: (error: unknown) => void;
  #isAwaited = false;

  /** What `then` makes is wrapped there. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  constructor(work: Promise<T>, onLost: (error: unknown) => void) {
    super((resolve, reject) => void work.then(resolve, reject));
    this.#onLost = onLost;
    super.then(undefined, (error: unknown) => {
      if (!this.#isAwaited) onLost(error);
    });
  }

  /** An `await` comes here, too. */
  // oxlint-disable-next-line unicorn/no-thenable -- a promise is one anyway
  override then<Result = T, Caught = never>(
    onResult?: ((value: T) => Result | PromiseLike<Result>) | null,
    onError?: ((error: unknown) => Caught | PromiseLike<Caught>) | null,
  ): Promise<Result | Caught> {
    this.#isAwaited = true;
    return new Followed(super.then(onResult, onError), this.#onLost);
  }
}

/** The kind that a call is about: its first parameter, or that of the object there. */
function kindOf([first]: readonly unknown[]): string {
  return typeof first === "string" ? first : ((first as { readonly kind?: string } | undefined)?.kind ?? "");
}
