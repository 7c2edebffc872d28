export type LogLevel = "debug" | "info" | "warn" | "error";

/** Logger; pino's loggers implement it. */
export interface Log {
  debug(fields: object, text: string): void;
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
  /** A logger that adds fields to each line. */
  child(fields: Record<string, unknown>): Log;
  /** Whether lines of a level are written. Default: all. Lines that are not need not be composed. */
  isLevelEnabled?(level: LogLevel): boolean;
}

/** Discards all lines. */
export const silent: Log = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silent,
  isLevelEnabled: () => false,
};

/**
 * Like `log.child(fields)`, but creates the child with its first line: most runs write none.
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
