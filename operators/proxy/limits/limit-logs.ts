import type { Clock } from "fettle";
import { followLimitLog, type RefusedRequest } from "../driver/linux/limit-log.js";

export interface LimitLogsOptions {
  readonly clock: Clock;
  /** Aborts when the operator stops. */
  readonly signal: AbortSignal;
  readonly onLines: (requests: readonly RefusedRequest[]) => void;
  /** Called when a log cannot be read any more. */
  readonly onError: (error: unknown) => void;
}

/** Logs of refused requests, one for each class. */
export class LimitLogs {
  readonly #options: LimitLogsOptions;
  readonly #followed = new Map<string, { readonly path: string; readonly end: AbortController }>();

  constructor(options: LimitLogsOptions) {
    this.#options = options;
  }

  /** Follows the log of a class, in place of the one before. */
  follow(className: string, path: string): void {
    const before = this.#followed.get(className);
    if (before?.path === path) return;
    before?.end.abort();
    const end = new AbortController();
    this.#followed.set(className, { path, end });
    const { clock, signal, onLines, onError } = this.#options;
    const both = AbortSignal.any([signal, end.signal]);
    followLimitLog(path, { clock, signal: both, onLines }).catch((error: unknown) => {
      if (this.#followed.get(className)?.end === end) this.#followed.delete(className);
      onError(error);
    });
  }

  /** Ends following the log of a class. */
  end(className: string): void {
    this.#followed.get(className)?.end.abort();
    this.#followed.delete(className);
  }
}
