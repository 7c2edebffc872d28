import { existsSync } from "node:fs";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { UsageError, type Command } from "../command/command.js";

const kind: Command = {
  arguments: "<Kind>",
  description: "Add a kind to the project in this folder, with a controller, a test and an example manifest.",
  options: [
    { flags: "--group <domain>", summary: "API group (default: that of the project's first kind)" },
    { flags: "--cluster-scoped", summary: "make the kind cluster-scoped" },
  ],
  examples: [
    ["fettle add kind Site", "src/site.ts, src/site.test.ts, examples/site.yaml"],
    ["fettle add kind Region --group geo.example.com --cluster-scoped", "in another group, cluster-scoped"],
  ],
  async run([word], { group, clusterScoped }, { cwd, stdout }) {
    if (word === undefined) throw new UsageError("missing kind; for example: fettle add kind Site");
    const { kindNames } = await import("../templates/kind-names.js");
    const { kindFiles } = await import("../templates/kind.js");
    const { writeFiles } = await import("../templates/write-files.js");
    const source = join(cwd, "src");
    if (!existsSync(join(cwd, "package.json")) || !existsSync(source)) {
      throw new UsageError(
        "this folder is not a project: it needs package.json and src; create a project with: fettle init",
      );
    }
    const names = kindNames(word, typeof group === "string" ? group : await groupOf(source));
    const files = kindFiles(names, { clusterScoped: clusterScoped === true });
    await writeFiles(cwd, files);
    for (const name of Object.keys(files)) stdout.write(`created ${name}\n`);
    const line = `export * from "./${names.file}.ts";\n`;
    const index = join(source, "index.ts");
    if (existsSync(index)) {
      const text = await readFile(index, "utf8");
      await writeFile(index, `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${line}`);
      stdout.write("changed src/index.ts\n");
    } else stdout.write(`add src/${names.file}.ts to the modules in fettle.yaml to run it\n`);
  },
};

export const command: Command = {
  description: "Add code to the project in this folder.",
  examples: [["fettle add kind Site", "a kind with its controller and test"]],
  commands: { kind },
};

/** API group of the first kind in a source file. */
async function groupOf(source: string): Promise<string> {
  for (const name of (await readdir(source)).sort()) {
    if (!name.endsWith(".ts") || name.endsWith(".test.ts")) continue;
    const [, group] = /\bresource\(\s*["']([^"'/]+)\//.exec(await readFile(join(source, name), "utf8")) ?? [];
    if (group !== undefined) return group;
  }
  return "demo.dev";
}
