import { basename, relative, resolve } from "node:path";
import { UsageError, type Command } from "../command/command.js";

export const command: Command = {
  arguments: "[folder]",
  description:
    "Create a TypeScript project with a kind, its controller and a test, and what is needed to run it locally, in a " +
    "container, or as an operator on Kubernetes. Existing files are never overwritten. The project depends on the fettle " +
    "that creates it: a version of the registry or a URL, if it was installed from there, and otherwise a tarball in vendor/.",
  options: [
    { flags: "--name <name>", summary: "project name (default: the name of the folder)" },
    { flags: "--group <domain>", summary: "API group of its kinds", default: "demo.dev" },
  ],
  examples: [
    ["fettle init greeter", "in a new folder"],
    ["fettle init --name greeter --group greeter.example.com", "in this folder"],
  ],
  async run([word = "."], { name, group }, terminal) {
    const { kindNames } = await import("../templates/kind-names.js");
    const { greetingFiles } = await import("../templates/greeting.js");
    const { projectFiles } = await import("../templates/project.js");
    const { writeFiles } = await import("../templates/write-files.js");
    const { ownPackage } = await import("../templates/own-package.js");
    const { ownDependency } = await import("../templates/own-dependency.js");
    const { quoted } = await import("../command/quoted.js");
    const folder = resolve(terminal.cwd, word);
    const names = kindNames("Greeting", typeof group === "string" ? group : "demo.dev");
    const validName = projectName(typeof name === "string" ? name : basename(folder), name !== undefined);
    const { dependencies, devDependencies } = ownPackage();
    const { spec, tarball, files: packed } = await ownDependency(terminal.signal);
    const files = {
      ...projectFiles({
        name: validName,
        group: names.group,
        tarball,
        versions: {
          fettle: spec,
          zod: dependencies["zod"] ?? "",
          typescript: devDependencies["typescript"] ?? "",
          "@types/node": devDependencies["@types/node"] ?? "",
        },
      }),
      ...greetingFiles(names),
      ...packed,
    };
    await writeFiles(folder, files);
    const shown = relative(terminal.cwd, folder);
    const steps = [
      ...(shown === "" ? [] : [`cd ${quoted(shown)}`]),
      "npm install",
      "npm test",
      "npm run dev                               # and in another terminal:",
      "npx fettle apply -f examples/hello.yaml",
      "npx fettle get greetings",
    ];
    terminal.stdout.write(
      `created ${Object.keys(files).length} files in ${shown === "" ? "this folder" : shown}\n\n`,
    );
    terminal.stdout.write(`${steps.map((step) => `  ${step}`).join("\n")}\n`);
  },
};

const packageName = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/**
 * Valid name for a package, an image and a namespace. The name of a folder is adapted; a name given by `--name` is not.
 */
function projectName(name: string, isExplicit: boolean): string {
  if (packageName.test(name)) return name;
  const fitting = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 63);
  if (isExplicit || fitting === "") {
    const hint = fitting === "" ? "" : `, such as ${fitting}`;
    throw new UsageError(
      `${JSON.stringify(name)} is not a valid project name: use lower-case letters, digits and dashes${hint} (--name)`,
    );
  }
  return fitting;
}
