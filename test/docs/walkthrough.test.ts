import { join } from "node:path";
import { expect, test } from "vitest";
import { folderWith } from "../cli/folder.js";
import { follow } from "./walkthrough.js";

const fence = "```";
const block = (language: string, text: string): string => `${fence}${language}\n${text}\n${fence}\n`;

/** Follows a page that consists of these blocks; returns the folder in which it ends. */
async function followed(...blocks: readonly string[]): Promise<string> {
  const folder = await folderWith({ "page.md": blocks.join("\ntext\n\n") });
  const { PATH = "" } = process.env;
  return (await follow(join(folder, "page.md"), { folder, env: { PATH } })).slice(folder.length);
}

test("a page whose files, commands and output agree is followed to its end", async () => {
  const end = await followed(
    block("sh", "mkdir -p a/b && cd a"),
    block("yaml", "# b/one.yaml\nkind: Site"),
    block("sh", "cat b/one.yaml # shows it\ncd b"),
    block("text", "kind: Site"),
  );
  expect(end).toBe("/a/b");
});

test("a shown line that the commands do not print fails, with its place", async () => {
  const page = followed(block("sh", "echo one two"), block("text", "two one\none three"));
  await expect(page).rejects.toThrow(/page\.md:1 shows what its commands do not print[\s\S]*one three/);
});

test("a command that fails ends the page", async () => {
  await expect(followed(block("sh", "false\necho unreachable"))).rejects.toThrow(/Command failed/);
});

test("a file without a name fails", async () => {
  await expect(followed(block("ts", "export {};"))).rejects.toThrow(/does not begin with its file's name/);
});
