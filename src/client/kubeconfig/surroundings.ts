import { isatty } from "node:tty";
import { systemClock, type Clock } from "../../model/core.js";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Environment, clock and terminal of the process, replaceable in tests. */
export interface SurroundingsOptions {
  /** Environment variables. Default: those of the process. */
  readonly env?: Environment | undefined;
  readonly clock?: Clock | undefined;
  /** Called for warnings: credential files readable by others, tokens that can no longer be read. */
  readonly onWarning?: ((text: string) => void) | undefined;
  /** Allows interactive exec plugins. Default: true if standard input is a terminal. */
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
