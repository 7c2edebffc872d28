import type { Client } from "../../client/client.js";

/** Called with the error of a call that nobody awaits. */
export type OnLost = (call: string, error: unknown) => void;

/**
 * A client whose calls need not be awaited. Node ends the process when a promise that nobody awaits is rejected; through this
 * client, `onLost` is called instead.
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

/** A promise that knows whether it is awaited, as do those derived from it. */
class Followed<T> extends Promise<T> {
  readonly #onLost: (error: unknown) => void;
  #isAwaited = false;

  /** `then` wraps its result itself. */
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

  /** Also called by `await`. */
  // oxlint-disable-next-line unicorn/no-thenable -- a promise is one anyway
  override then<Result = T, Caught = never>(
    onResult?: ((value: T) => Result | PromiseLike<Result>) | null,
    onError?: ((error: unknown) => Caught | PromiseLike<Caught>) | null,
  ): Promise<Result | Caught> {
    this.#isAwaited = true;
    return new Followed(super.then(onResult, onError), this.#onLost);
  }
}

/** The kind of a call: its first parameter, or the kind of the object in it. */
function kindOf([first]: readonly unknown[]): string {
  return typeof first === "string" ? first : ((first as { readonly kind?: string } | undefined)?.kind ?? "");
}
