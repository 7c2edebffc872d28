import type { Verification } from "../../../plane/backup/verify.js";
import { lossLines } from "../../output/salvage-text.js";

/** Result of a verification for people: what is damaged, what is intact, what to do. */
export function verificationText(verification: Verification, folder: string): string {
  const { isIntact, problems, intact, revision, mutations, salvage } = verification;
  if (isIntact)
    return `${folder} is intact: revision ${revision}, ${mutations} mutations, ${intact.join(", ")}\n`;
  const lines = [`${folder} is damaged:`, ...problems.map(({ message }) => `  ${message}`)];
  if (intact.length > 0) lines.push("Intact:", ...intact.map((part) => `  ${part}`));
  if (salvage !== undefined) {
    lines.push(
      salvage.isComplete
        ? `All ${salvage.entries} objects are there and can be proven.`
        : `${salvage.entries} objects can be proven.`,
      ...lossLines(salvage).map((line) => `  ${line}`),
    );
  }
  lines.push(
    "What to do:",
    `  fettle restore FILE --data NEW-FOLDER     restore a backup`,
    `  fettle salvage ${folder} NEW-FOLDER     write what can be proven to a new folder`,
  );
  return `${lines.join("\n")}\n`;
}
