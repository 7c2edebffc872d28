import { isatty } from "node:tty";
import { systemClock, type Clock } from "../../model/core.js";

export type Environment = Readonly<Record<string, string | undefined>>;

/** What connections take from the process they are in; all of it can be handed in. */
export interface SurroundingsOptions {
  /** Environment variables; the process' own unless told. */
  readonly env?: Environment | undefined;
  readonly clock?: Clock | undefined;
  /** Is told what does not stop anybody but should be known: files others can read, tokens that no longer can be. */
  readonly onWarning?: ((text: string) => void) | undefined;
  /** Whether exec plugins may ask a person; when standard input is a terminal unless told. */
  readonly interactive?: boolean | undefined;
}

export interface Surroundings {
  readonly env: Environment;
  readonly clock: Clock;
  readonly warn: (text: string) => void;
  readonly interactive: boolean;
}

export function surroundings(options: SurroundingsOptions): Surroundings {
  return {
    env: options.env ?? process.env,
    clock: options.clock ?? systemClock,
    warn: options.onWarning ?? (() => {}),
    interactive: options.interactive ?? isatty(0),
  };
}
