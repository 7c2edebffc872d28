import type { Log } from "../../runtime/log/log.js";
import type { Endings } from "../endings.js";
import type { RegisterOptions } from "./register-definitions.js";

/** Registers definitions that are being deleted once they are gone, unless everything ends before that. */
export function registerLater(endings: Endings, log: Log): RegisterOptions["whenGone"] {
  const stopping = new AbortController();
  const pending: Promise<void>[] = [];
  endings.add(async () => {
    stopping.abort();
    await Promise.all(pending);
  });
  return (register) => {
    const told = register(stopping.signal).catch((error: unknown) => {
      if (!stopping.signal.aborted) log.error({ err: error }, "a definition was not registered anew");
    });
    pending.push(told);
  };
}
