import type { Choices } from "../choices.js";
import type { Draft } from "../requests/draft.js";

/** Way to break a request. */
export interface Break {
  readonly name: string;
  readonly weight: number;
  /** True if the draft has something to break in this way. */
  applies(draft: Draft): boolean;
  spoil(draft: Draft, choices: Choices): void;
}

export const always = (): boolean => true;
export const hasValue = ({ value }: Draft): boolean => value !== undefined;

/** Sets a header. */
export function setHeader(draft: Draft, name: string, value: string): void {
  draft.headers = [...draft.headers.filter(([each]) => each !== name), [name, value]];
}
