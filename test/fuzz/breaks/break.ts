import type { Choices } from "../choices.js";
import type { Draft } from "../requests/draft.js";

/** A way to spoil a request. */
export interface Break {
  readonly name: string;
  readonly weight: number;
  /** Whether there is anything to spoil in this way. */
  applies(draft: Draft): boolean;
  spoil(draft: Draft, choices: Choices): void;
}

export const always = (): boolean => true;
export const hasValue = ({ value }: Draft): boolean => value !== undefined;

/** Gives a header another value, or one at all. */
export function setHeader(draft: Draft, name: string, value: string): void {
  draft.headers = [...draft.headers.filter(([each]) => each !== name), [name, value]];
}
