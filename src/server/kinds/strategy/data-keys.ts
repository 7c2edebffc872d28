import { regexError } from "../../../model/object/names.js";
import { utf8Length } from "../../../model/object/utf8.js";

/** Maximum size of the data of a ConfigMap or Secret in bytes. */
export const largestData = 1024 * 1024;

const keySource = "[-._a-zA-Z0-9]+";
const keyRegex = new RegExp(`^${keySource}$`);

/** Faults of a key of a ConfigMap or Secret, which must be usable as a file name. */
export function validateDataKey(key: string): string[] {
  const faults: string[] = [];
  if (key.length > 253 || utf8Length(key) > 253) faults.push("must be no more than 253 characters");
  if (!keyRegex.test(key)) {
    const message = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    faults.push(regexError(message, keySource, "key.name", "KEY_NAME", "key-name"));
  }
  if (key === ".") faults.push("must not be '.'");
  else if (key === "..") faults.push("must not be '..'");
  else if (key.startsWith("..")) faults.push("must not start with '..'");
  return faults;
}
