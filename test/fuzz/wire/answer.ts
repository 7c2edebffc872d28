/** Response to a request. */
export interface Answer {
  /** Status code; 0 when the connection ended without one. */
  readonly code: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** `watching`: a stream that the client ended; `cut`: the server closed the connection before the end. */
  readonly ending: "whole" | "watching" | "cut";
}

/** There was no response within the timeout. */
export class Hanging extends Error {
  override readonly name = "Hanging";
}

export const nothing: Answer = { code: 0, headers: new Map(), body: Buffer.alloc(0), ending: "cut" };

/** Timeout for a response in milliseconds, much longer than any timeout of the server. */
export const patience = 60_000;

/** Limits after which the client ends a stream. */
export interface Attention {
  /** After so many milliseconds without data. */
  readonly quiet?: number | undefined;
  /** After so many bytes. */
  readonly bytes?: number | undefined;
  /** After so many milliseconds, for streams that never pause. */
  readonly longest?: number | undefined;
}

/** Enough to see how a stream begins. */
export const glance: Attention = { quiet: 25 };
