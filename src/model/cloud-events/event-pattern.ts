/** A malformed pattern. */
export class EventPatternError extends Error {
  override readonly name = "EventPatternError";
}

const maxPatternLength = 256;
const segmentPattern = /^(?:\*\*?|[\w-]+)$/;

/**
 * Compiles a pattern over event types. The parts of a type are separated by dots; `*` stands for one part, `**` for any number of
 * parts, also none.
 *
 * @example
 * eventPattern("io.example.device.**")("io.example.device.created"); // true
 * eventPattern("*.created")("labinstancerequest.created"); // true
 * eventPattern("*.created")("io.example.device.created"); // false: use **.created
 *
 * @throws {EventPatternError}
 */
export function eventPattern(pattern: string): (type: string) => boolean {
  const parts = patternParts(pattern);
  if (!parts.some((part) => part.startsWith("*"))) return (type) => type === pattern;
  return (type) => matches(parts, type.split("."));
}

/** Parts of a pattern. */
export function patternParts(pattern: string): readonly string[] {
  const parts = pattern.split(".");
  const isValid = pattern.length <= maxPatternLength && parts.every((part) => segmentPattern.test(part));
  if (isValid) return parts;
  const shown = JSON.stringify(pattern.length > 60 ? `${pattern.slice(0, 60)}…` : pattern);
  throw new EventPatternError(
    `${shown} is not a pattern for event types: use names of letters, digits, _ and -, separated by dots, with * for one name and ** for any number, such as io.example.device.**`,
  );
}

/** Matches with one position to return to, as for globs, so that it takes linear time in the product of both lengths. */
function matches(parts: readonly string[], names: readonly string[]): boolean {
  let part = 0;
  let name = 0;
  let afterWildcard = -1;
  let retryName = 0;
  while (name < names.length) {
    if (parts[part] === "**") {
      afterWildcard = ++part;
      retryName = name;
    } else if (part < parts.length && (parts[part] === "*" || parts[part] === names[name])) {
      part++;
      name++;
    } else if (afterWildcard >= 0) {
      part = afterWildcard;
      name = ++retryName;
    } else return false;
  }
  while (parts[part] === "**") part++;
  return part === parts.length;
}
