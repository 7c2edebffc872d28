export type LogLevel = "debug" | "info" | "warn" | "error";

/** Where lines of a log go: pino's loggers are such, and so is anything with the first five. */
export interface Log {
  debug(fields: object, text: string): void;
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
  /** A log whose lines carry these fields too. */
  child(fields: Record<string, unknown>): Log;
  /** Whether lines of a level go anywhere; all do unless told. What is not, need not be put together. */
  isLevelEnabled?(level: LogLevel): boolean;
}

/** Says nothing. */
export const silent: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silent,
  isLevelEnabled: () => false,
};

/**
 * A log whose lines carry these fields too, like `log.child(fields)`, but made only when there is a line to write: most
 * runs have nothing to say.
 */
export function lazyChild(log: Log, fields: () => Record<string, unknown>): Log {
  return log === silent ? silent : new LazyChild(log, fields);
}

class LazyChild implements Log {
  readonly #parent: Log;
  readonly #fields: () => Record<string, unknown>;
  #made: Log | undefined;

  constructor(parent: Log, fields: () => Record<string, unknown>) {
    this.#parent = parent;
    this.#fields = fields;
  }

  debug(fields: object, text: string): void {
    if (this.isLevelEnabled("debug")) this.#log.debug(fields, text);
  }

  info(fields: object, text: string): void {
    if (this.isLevelEnabled("info")) this.#log.info(fields, text);
  }

  warn(fields: object, text: string): void {
    if (this.isLevelEnabled("warn")) this.#log.warn(fields, text);
  }

  error(fields: object, text: string): void {
    if (this.isLevelEnabled("error")) this.#log.error(fields, text);
  }

  child(fields: Record<string, unknown>): Log {
    return this.#log.child(fields);
  }

  isLevelEnabled(level: LogLevel): boolean {
    return this.#parent.isLevelEnabled?.(level) ?? true;
  }

  get #log(): Log {
    this.#made ??= this.#parent.child(this.#fields());
    return this.#made;
  }
}
