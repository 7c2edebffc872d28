import type { UntypedObject } from "../../../client/kinds/kind.js";
import { printableObject, yamlOf } from "../../output/objects.js";

const guide = [
  "Edit the object, then save and close the editor.",
  "Lines that start with # are ignored. An empty file cancels the edit.",
];

/** Text for the editor: instructions in comments, then the object as YAML. */
export async function editorText(object: UntypedObject): Promise<string> {
  return withRemarks(await yamlOf(printableObject(object)), []);
}

/** Replaces the comments above the object by instructions and these problems. */
export function withRemarks(text: string, problems: readonly string[]): string {
  const remarks = problems.length === 0 ? [] : ["", ...problems.flatMap((problem) => problem.split("\n"))];
  const head = [...guide, ...remarks].map((line) => (line === "" ? "#" : `# ${line}`));
  return `${head.join("\n")}\n#\n${withoutRemarks(text)}`;
}

/**
 * Number of lines above the object when one problem is shown, so that line numbers in errors are right in the editor.
 */
export const linesAbove = guide.length + 3;

/** Removes the comments above the object; comments further down belong to the user. */
export function withoutRemarks(text: string): string {
  return text.replace(/^(?:#[^\n]*(?:\n|$))+/, "");
}
