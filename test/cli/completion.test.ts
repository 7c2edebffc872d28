import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { controlPlane, type ControlPlane } from "../../src/plane/control-plane.js";
import type { Need } from "../components/component.js";
import { describeWith } from "../components/describe-with.js";
import { obtain, type Program } from "../components/machine/program.js";
import { folderWith } from "./folder.js";

const main = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

let cwd: string;
let plane: ControlPlane;

beforeEach(async () => {
  cwd = await folderWith({ "manifest.yaml": "" });
  plane = await controlPlane({ store: "memory", data: join(cwd, ".fettle"), listen: { port: 0 } });
  await plane.apply(
    { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "lamp" } },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "demo:reader" },
      rules: [],
    },
  );
  await mkdir(join(cwd, "bin"));
  await mkdir(join(cwd, "home"));
  // Completes as fettle does; other commands only record that they were called.
  const program = join(cwd, "bin", "fettle");
  await writeFile(
    program,
    `#!/bin/sh
if [ "$1" = completion ]; then exec ${JSON.stringify(process.execPath)} ${JSON.stringify(main)} "$@"; fi
printf '%s\\n' "$*" >> ${JSON.stringify(join(cwd, "called"))}
`,
  );
  await chmod(program, 0o755);
});
afterEach(() => plane.stop());

/** Runs a program on a pseudo-terminal. */
const script: Program = { name: "script", package: "bsdutils" };

/** Shell, and the program that gives it a terminal. */
function shell(name: string): Need {
  return {
    name,
    obtain: () => Promise.all([obtain({ name, package: name }), obtain(script)]),
  };
}

async function called(): Promise<readonly string[]> {
  const file = join(cwd, "called");
  return existsSync(file) ? (await readFile(file, "utf8")).trimEnd().split("\n") : [];
}

/** Opens a shell on a terminal; returns a function that types into it. */
async function opened(line: string, init: string): Promise<(keys: string) => void> {
  const env = {
    PATH: `${join(cwd, "bin")}:${process.env["PATH"] ?? ""}`,
    HOME: join(cwd, "home"),
    TERM: "xterm",
  };
  const child = spawn(await obtain(script), ["-qfec", line, "/dev/null"], {
    cwd,
    env,
    stdio: ["pipe", "ignore", "ignore"],
  });
  onTestFinished(async () => {
    child.stdin.destroy();
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  });
  child.stdin.write(`${init}\r`);
  return (keys) => void child.stdin.write(`${keys}\r`);
}

/** Typed text before Tab, and the command that runs then. */
const typed = [
  ["fettle conf", "config"],
  ["fettle debug ev", "debug events"],
  ["fettle top --ev", "top --every"],
  ["fettle get configm", "get configmaps"],
  ["fettle get configmaps la", "get configmaps lamp"],
  ["fettle describe configmap/la", "describe configmap/lamp"],
  ["fettle get clusterrole demo:re", "get clusterrole demo:reader"],
  ["fettle get --output=ya", "get --output=yaml"],
  ["fettle get -n kube-s", "get -n kube-system"],
  ["fettle apply -f mani", "apply -f manifest.yaml"],
] as const;

for (const [name, line, init] of [
  ["bash", "bash --norc --noprofile", "source <(fettle completion bash)"],
  ["zsh", "zsh -f", "source <(fettle completion zsh)"],
  ["fish", "fish --no-config", "fettle completion fish | source"],
] as const) {
  describeWith(`completion in ${name}`, shell(name), () => {
    test("completes commands, options, kinds, names and files", async () => {
      const type = await opened(line, init);
      for (const [keys, expected] of typed) {
        // Completion does not wait long for a busy server, so Tab is pressed again.
        for (let tries = 1; ; tries++) {
          const before = (await called()).length;
          type(`${keys}\t`);
          await expect.poll(async () => (await called()).length, { timeout: 20_000 }).toBeGreaterThan(before);
          const now = (await called()).at(-1);
          if (now === expected) break;
          if (tries === 3) expect(now, `${keys} in ${name}`).toBe(expected);
        }
      }
    }, 120_000);
  });
}
