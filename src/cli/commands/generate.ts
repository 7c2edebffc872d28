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
} from "../command/command.js";
import { textOption } from "../command/options.js";

const output: CommandOption = {
  flags: "-o, --output <folder>",
  summary: "write files to this folder (default: print to standard output)",
};

const manifests: Command = {
  arguments: "[module...]",
  description:
    "Generate the manifests that run controllers as an operator on Kubernetes: CustomResourceDefinitions, a service account " +
    "with the permissions they need, and a Deployment with probes and limits. The modules default to those of fettle.yaml. " +
    "Kinds that your code reads or writes through client, besides those that controllers reconcile, own or watch, are not " +
    "known here: add their permissions to the rules.",
  options: [
    output,
    { flags: "--name <name>", summary: "name of all objects (default: the package name)" },
    { flags: "-n, --namespace <name>", summary: "namespace of the operator (default: its name)" },
    { flags: "--image <image>", summary: "container image (default: NAME:latest)" },
    {
      flags: "--run <file>",
      summary: "path of the module in the image",
      default: "dist/index.js",
    },
    {
      flags: "--shards <number>",
      summary:
        "run three replicas that share the objects in this many shards, such as 64 (default: one replica)",
    },
  ],
  examples: [
    ["fettle generate manifests -o deploy", "write crds.yaml, access.yaml and deployment.yaml to deploy"],
    [
      "fettle generate manifests src/sites.ts --image registry.example.com/sites:1.2 | kubectl apply -f -",
      "apply them at once",
    ],
  ],
  async run(words, options, terminal) {
    const { controllers, definitions } = await load(words, terminal);
    if (controllers.length === 0) {
      throw new UsageError("the modules export no controllers; for definitions alone: fettle generate crds");
    }
    const { rulesOf } = await import("./generate/rules.js");
    const { accessManifests, deploymentManifest } = await import("./generate/manifests.js");
    const name = textOption(options, "name") ?? (await packageName(terminal.cwd));
    const operator = {
      name,
      namespace: textOption(options, "namespace") ?? name,
      image: textOption(options, "image") ?? `${name}:latest`,
      args: ["run", textOption(options, "run") ?? "dist/index.js"],
      rules: rulesOf(
        controllers,
        definitions.map(({ metadata }) => metadata.name),
      ),
      shards: shardsOf(options),
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
    "Generate the CustomResourceDefinitions of kinds. The modules default to those of fettle.yaml.",
  options: [output],
  examples: [
    ["fettle generate crds", "print them"],
    ["fettle generate crds src/sites.ts | kubectl apply -f -", "apply them to a cluster"],
  ],
  async run(words, options, terminal) {
    const { definitions } = await load(words, terminal);
    if (definitions.length === 0) throw new UsageError("the modules export no kinds");
    await write(terminal, options, { "crds.yaml": definitions });
  },
};

const systemd: Command = {
  arguments: "[argument...]",
  description:
    "Generate systemd units that run fettle up in this folder as a service, with a daily backup. The arguments are those of " +
    "fettle up; put options of it after --.",
  options: [output, { flags: "--name <name>", summary: "name of the service (default: the package name)" }],
  examples: [
    ["fettle generate systemd -o units", "the modules of fettle.yaml"],
    ["fettle generate systemd src/index.ts -- --host 0.0.0.0 --hosts fettle.example.com", "with options"],
    [
      "sudo cp units/* /etc/systemd/system && sudo systemctl enable --now NAME.service NAME-backup.timer",
      "install",
    ],
  ],
  async run(words, options, terminal) {
    const { systemdUnits } = await import("./generate/systemd.js");
    const { ownProgram } = await import("../templates/own-package.js");
    const { cwd } = terminal;
    const name = textOption(options, "name") ?? (await packageName(cwd));
    const program = [process.execPath, ownProgram()];
    await writeTexts(terminal, options, systemdUnits({ name, program, folder: cwd, words }));
  },
};

export const command: Command = {
  description: "Generate Kubernetes manifests or systemd units from the code of a project.",
  examples: [
    ["fettle generate manifests -o deploy", "everything to run an operator"],
    ["fettle generate crds", "CustomResourceDefinitions only"],
    ["fettle generate systemd -o units", "a service that runs the control plane"],
  ],
  commands: { manifests, crds, systemd },
};

/** Loads the modules of the arguments, those of fettle.yaml, or src/index.ts. */
async function load(
  words: readonly string[],
  terminal: Terminal,
): Promise<{
  readonly controllers: readonly Controller[];
  readonly definitions: readonly CustomResourceDefinition[];
}> {
  const { cwd, env } = terminal;
  const { orderOperators } = await import("../../plane/operators/order-operators.js");
  const { loadModules } = await import("../modules/load-modules.js");
  const { sortWords } = await import("../modules/sort-words.js");
  const { loadConfig } = await import("../../plane/config/load-config.js");
  const { kindsOf } = await import("../../plane/definitions/kinds-of.js");
  const { customResourceDefinition } = await import("../../model/resource/custom-resource-definition.js");
  const named = words.length > 0 ? words : (await loadConfig({ env, cwd })).config.modules;
  const { modules } = sortWords(named, cwd);
  if (modules.length === 0) {
    if (words.length > 0)
      throw new UsageError(`no module in ${words.join(", ")}; expected a file such as src/index.ts`);
    throw new UsageError("missing modules, such as src/index.ts; name them, or list them in fettle.yaml");
  }
  const { controllers, kinds, operators } = await loadModules(modules, terminal);
  const ofOperators = orderOperators([...operators.keys()]).flatMap((operator) => operator.kinds);
  const definitions = kindsOf(controllers, [...ofOperators, ...kinds]).map((kind) =>
    customResourceDefinition(kind),
  );
  return {
    controllers,
    definitions: definitions.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1)),
  };
}

async function write(
  terminal: Terminal,
  options: OptionValues,
  files: Readonly<Record<string, readonly object[]>>,
): Promise<void> {
  const { stringify } = await import("yaml");
  const yaml = (object: object): string => stringify(object, { aliasDuplicateObjects: false, lineWidth: 0 });
  if (options["output"] === undefined) {
    terminal.stdout.write(Object.values(files).flat().map(yaml).join("---\n"));
    return;
  }
  const texts = Object.entries(files).filter(([, objects]) => objects.length > 0);
  await writeTexts(
    terminal,
    options,
    Object.fromEntries(texts.map(([name, objects]) => [name, objects.map(yaml).join("---\n")])),
  );
}

/** Writes files to the output folder, or prints them with their names. */
async function writeTexts(
  { cwd, stdout }: Terminal,
  options: OptionValues,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  const folder = textOption(options, "output");
  if (folder === undefined) {
    const texts = Object.entries(files).map(([name, text]) => `# ${name}\n${text}`);
    stdout.write(texts.join("\n"));
    return;
  }
  await mkdir(resolve(cwd, folder), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    await writeFile(resolve(cwd, folder, name), text);
    stdout.write(`wrote ${join(folder, name)}\n`);
  }
}

/** Name of the package in a folder, or of the folder if there is none, as a valid Kubernetes name. */
async function packageName(cwd: string): Promise<string> {
  let name = basename(cwd);
  try {
    const { name: found } = JSON.parse(await readFile(join(cwd, "package.json"), "utf8")) as {
      name?: unknown;
    };
    if (typeof found === "string") name = found.replace(/^@[^/]*\//, "");
  } catch {
    // No package.json, or an unreadable one.
  }
  const fitting = name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, "-");
  return fitting.replaceAll(/^-+|-+$/g, "").slice(0, 63) || "controllers";
}

function shardsOf(options: OptionValues): number | undefined {
  const text = textOption(options, "shards");
  if (text === undefined) return undefined;
  const shards = Number(text);
  if (Number.isInteger(shards) && shards >= 1) return shards;
  throw new UsageError(
    `invalid value ${JSON.stringify(text)} for --shards; use a whole number from 1, such as 64`,
  );
}
