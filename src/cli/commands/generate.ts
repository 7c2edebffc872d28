import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { CustomResourceDefinition } from "../../model/core.js";
import type { Controller } from "../../runtime/controller/controller.js";
import {
  UsageError,
  type Command,
  type CommandOption,
  type OptionValues,
  type Terminal,
} from "../command.js";

const output: CommandOption = {
  flags: "-o, --output <folder>",
  summary: "write files there; without it everything is printed",
};

const manifests: Command = {
  arguments: "[module...]",
  description:
    "Makes what runs controllers as an operator on Kubernetes: definitions of their kinds, a service account that may do " +
    "just what they need, and a Deployment with probes and limits. Modules are those of fettle.yaml unless you name some. " +
    "What your code reads and writes through client, beyond the kinds that controllers are for, own or watch, is for you to " +
    "add to the rules.",
  options: [
    output,
    { flags: "--name <name>", summary: "what all of it is called; like the package unless told" },
    { flags: "-n, --namespace <name>", summary: "where it runs; a namespace of that name unless told" },
    { flags: "--image <image>", summary: "the image to run; NAME:latest unless told" },
    {
      flags: "--run <file>",
      summary: "the module as it lies in the image",
      default: "dist/index.js",
    },
    {
      flags: "--shards <number>",
      summary:
        "three processes that share the objects, in so many shards, such as 64; otherwise one that works",
    },
  ],
  examples: [
    ["fettle generate manifests -o deploy", "crds.yaml, access.yaml, deployment.yaml in deploy"],
    [
      "fettle generate manifests src/sites.ts --image registry.example.com/sites:1.2 | kubectl apply -f -",
      "at once",
    ],
  ],
  async run(words, options, terminal) {
    const { controllers, definitions } = await load(words, terminal);
    if (controllers.length === 0) {
      throw new UsageError(
        "the modules have no controllers to run: fettle generate crds makes definitions alone",
      );
    }
    const { rulesOf } = await import("./generate/rules.js");
    const { accessManifests, deploymentManifest } = await import("./generate/manifests.js");
    const name = text(options["name"]) ?? (await packageName(terminal.cwd));
    const operator = {
      name,
      namespace: text(options["namespace"]) ?? name,
      image: text(options["image"]) ?? `${name}:latest`,
      args: ["run", text(options["run"]) ?? "dist/index.js"],
      rules: rulesOf(
        controllers,
        definitions.map(({ metadata }) => metadata.name),
      ),
      shards: shardsOf(options["shards"]),
    };
    await write(terminal, options, {
      "crds.yaml": definitions,
      "access.yaml": accessManifests(operator),
      "deployment.yaml": [deploymentManifest(operator)],
    });
  },
};

const crds: Command = {
  arguments: "[module...]",
  description:
    "Makes the definitions of kinds, as CustomResourceDefinitions. Modules are those of fettle.yaml unless you name some.",
  options: [output],
  examples: [
    ["fettle generate crds", "print them"],
    ["fettle generate crds src/sites.ts | kubectl apply -f -", "and have a cluster serve them"],
  ],
  async run(words, options, terminal) {
    const { definitions } = await load(words, terminal);
    if (definitions.length === 0) throw new UsageError("the modules define no kinds");
    await write(terminal, options, { "crds.yaml": definitions });
  },
};

export const command: Command = {
  description: "Makes manifests for Kubernetes from the code of a project.",
  examples: [
    ["fettle generate manifests -o deploy", "all that runs an operator"],
    ["fettle generate crds", "definitions of kinds alone"],
  ],
  commands: { manifests, crds },
};

/** What modules have: those that are named, or those of fettle.yaml, or src/index.ts. */
async function load(
  words: readonly string[],
  { cwd, env }: Terminal,
): Promise<{
  readonly controllers: readonly Controller[];
  readonly definitions: readonly CustomResourceDefinition[];
}> {
  const { loadModules } = await import("../modules/load-modules.js");
  const { sortWords } = await import("../modules/sort-words.js");
  const { loadConfig } = await import("../../plane/config/load-config.js");
  const { kindsOf } = await import("../../plane/definitions/kinds-of.js");
  const { customResourceDefinition } = await import("../../model/resource/custom-resource-definition.js");
  const named = words.length > 0 ? words : (await loadConfig({ env, cwd })).config.modules;
  const { modules } = sortWords(named, cwd);
  if (modules.length === 0) {
    if (words.length > 0)
      throw new UsageError(`there is no module in ${words.join(", ")}, such as src/index.ts`);
    throw new UsageError("which modules? Name some, such as src/index.ts, or list them in fettle.yaml");
  }
  const { controllers, kinds } = await loadModules(modules, cwd);
  const definitions = kindsOf(controllers, kinds).map((kind) => customResourceDefinition(kind));
  return {
    controllers,
    definitions: definitions.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)),
  };
}

async function write(
  { cwd, stdout }: Terminal,
  options: OptionValues,
  files: Readonly<Record<string, readonly object[]>>,
): Promise<void> {
  const { stringify } = await import("yaml");
  const yaml = (object: object): string => stringify(object, { aliasDuplicateObjects: false, lineWidth: 0 });
  const folder = text(options["output"]);
  if (folder === undefined) {
    stdout.write(Object.values(files).flat().map(yaml).join("---\n"));
    return;
  }
  await mkdir(resolve(cwd, folder), { recursive: true });
  for (const [name, objects] of Object.entries(files)) {
    if (objects.length === 0) continue;
    await writeFile(resolve(cwd, folder, name), objects.map(yaml).join("---\n"));
    stdout.write(`wrote ${join(folder, name)}\n`);
  }
}

/** The name of the package in a folder as Kubernetes takes names; that of the folder where there is none. */
async function packageName(cwd: string): Promise<string> {
  let name = basename(cwd);
  try {
    const { name: found } = JSON.parse(await readFile(join(cwd, "package.json"), "utf8")) as {
      name?: unknown;
    };
    if (typeof found === "string") name = found.replace(/^@[^/]*\//, "");
  } catch {
    // Then there is no package.
  }
  const fitting = name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, "-");
  return fitting.replaceAll(/^-+|-+$/g, "").slice(0, 63) || "controllers";
}

function shardsOf(value: OptionValues[string]): number | undefined {
  const said = text(value);
  if (said === undefined) return undefined;
  const shards = Number(said);
  if (Number.isInteger(shards) && shards >= 1) return shards;
  throw new UsageError(`--shards is a whole number from 1 on, such as 64, and not ${said}`);
}

function text(value: OptionValues[string]): string | undefined {
  return typeof value === "string" ? value : undefined;
}
