import type { UntypedObject } from "../../../client/kinds/kind.js";
import { printableObject, yamlOf } from "../../output/objects.js";

const guide = [
  "Edit the object, then save and close the editor.",
  "Lines that start with # are ignored. An empty file cancels the edit.",
];

/** What stands in the editor: an object, below what there is to say about it. */
export async function editorText(object: UntypedObject): Promise<string> {
  return withRemarks(await yamlOf(printableObject(object)), []);
}

/** The same text with other remarks above it. */
export function withRemarks(text: string, problems: readonly string[]): string {
  const remarks = problems.length === 0 ? [] : ["", ...problems.flatMap((problem) => problem.split("\n"))];
  const head = [...guide, ...remarks].map((line) => (line === "" ? "#" : `# ${line}`));
  return `${head.join("\n")}\n#\n${withoutRemarks(text)}`;
}

/** How many lines stand above the object when there is one problem: an error's line number is to be right in the editor. */
export const linesAbove = guide.length + 3;

/** What was written, without the remarks above it: comments further down are the user's own. */
export function withoutRemarks(text: string): string {
  return text.replace(/^(?:#[^\n]*(?:\n|$))+/, "");
}
