import { basename, dirname } from "node:path";
import { StoreDamaged } from "../../errors.js";

/** Something that is wrong with a file of a store. */
export interface StoreProblem {
  /** Name of the file. */
  readonly file: string;
  readonly message: string;
}

/** Problems named in an error; the rest is counted. */
const maxNamed = 3;

/** Error about a damaged store: what is damaged, what is intact, and what to do. */
export function storeDamaged(
  directory: string,
  problems: readonly StoreProblem[],
  intact: readonly string[] = [],
): StoreDamaged {
  const named = problems.slice(0, maxNamed).map(({ message }) => message);
  if (problems.length > maxNamed) named.push(`and ${problems.length - maxNamed} more problems`);
  const found = intact.length > 0 ? ` Intact: ${intact.join(", ")}.` : "";
  // Commands take the folder of a control plane, which has the store in a folder of its own.
  const data = basename(directory) === "store" ? dirname(directory) : directory;
  return new StoreDamaged(
    `the store in ${directory} is damaged: ${named.join("; ")}.${found} Nothing was changed. ` +
      `List the damage with "fettle verify --data ${data}". Then restore a backup with ` +
      `"fettle restore FILE --data NEW-FOLDER", or write what can still be proven to a new folder with ` +
      `"fettle salvage ${data} NEW-FOLDER"`,
  );
}

/** Numbers as text, the first few of them: `3, 30 to 35 and 12 more`. */
export function listNumbers(numbers: readonly number[]): string {
  const ranges: { first: number; last: number }[] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range?.last === number - 1) range.last = number;
    else ranges.push({ first: number, last: number });
  }
  const shown = ranges.slice(0, 5);
  const rest = ranges.slice(5).reduce((sum, { first, last }) => sum + last - first + 1, 0);
  const texts = shown.map(({ first, last }) => (first === last ? `${first}` : `${first} to ${last}`));
  return texts.join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}
