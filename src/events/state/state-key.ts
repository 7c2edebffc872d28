import { utf8Length } from "../../model/object/utf8.js";

/** Maximum length of a key in UTF-8 bytes, including the prefix of a part of the state. */
const maxStateKeyBytes = 1024;

const controlOrSurrogate = /\p{Cc}|\p{Surrogate}/u;

/**
 * Checks a key, or a prefix of keys.
 *
 * @throws {TypeError} @throws {RangeError}
 */
export function checkStateKey(key: string): void {
  if (typeof key !== "string") throw new TypeError(`a key of the state must be text, not ${typeof key}`);
  if (key === "")
    throw new RangeError('a key of the state must not be empty: use a name such as "backend/1"');
  const length = utf8Length(key);
  if (length > maxStateKeyBytes) {
    throw new RangeError(
      `${shown(key)} is too long for a key of the state: ${length} bytes, and ${maxStateKeyBytes} are allowed`,
    );
  }
  if (controlOrSurrogate.test(key)) {
    throw new RangeError(
      `${shown(key)} is not a key of the state: it has a control character, or half of a surrogate pair`,
    );
  }
}

function shown(key: string): string {
  return JSON.stringify(key.length > 60 ? `${key.slice(0, 60)}…` : key);
}
