/** What came back for a request. */
export interface Answer {
  /** 0 when the connection ended without one. */
  readonly code: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** `watching` when it was a stream that this side ended; `cut` when the other side ended before the answer was whole. */
  readonly ending: "whole" | "watching" | "cut";
}

/** Nobody answered in any time that one would wait. */
export class Hanging extends Error {
  override readonly name = "Hanging";
}

export const nothing: Answer = { code: 0, headers: new Map(), body: Buffer.alloc(0), ending: "cut" };

/** How long an answer is waited for before it counts as never coming. The server gives up on its own much earlier. */
export const patience = 60_000;

/** How long a stream that may have no end is listened to: then this side hangs up. */
export interface Attention {
  /** Until it has said nothing for so many milliseconds. */
  readonly quiet?: number | undefined;
  /** Until so many bytes of it have come. */
  readonly bytes?: number | undefined;
  /** Until so many milliseconds have passed, since there are streams which never grow quiet. */
  readonly longest?: number | undefined;
}

/** Enough to see how it begins. */
export const glance: Attention = { quiet: 25 };
