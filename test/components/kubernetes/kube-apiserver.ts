import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { find, MissingToolchain, Unavailable, type Program } from "../machine/program.js";

/** Version in go.mod. */
const version = "v1.34.2";

/**
 * kube-apiserver, built with Go from the modules in go.mod. That takes some minutes once; the result is kept outside the
 * repository, under a name that changes with go.mod.
 */
export const kubeApiserver: Program = {
  name: "kube-apiserver",
  async build() {
    const path = cached();
    if (existsSync(path)) return path;
    if (find({ name: "go" }) === undefined) {
      throw new MissingToolchain("kube-apiserver is built with Go, and go is not on the PATH");
    }
    process.stderr.write(`building kube-apiserver ${version} with Go, some minutes this once …\n`);
    mkdirSync(dirname(path), { recursive: true });
    const trouble = await build(path);
    if (trouble === undefined) return path;
    throw new Unavailable(`kube-apiserver could not be built:\n${trouble}`);
  },
};

function cached(): string {
  const home = process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache");
  const modules = readFileSync(new URL("./go.mod", import.meta.url));
  const hash = createHash("sha256").update(modules).digest("hex").slice(0, 12);
  return join(home, "fettle", `kube-apiserver-${version}-${hash}`);
}

/** Runs Go; resolves with the end of its output if it failed, otherwise with undefined. */
async function build(output: string): Promise<string | undefined> {
  const script = fileURLToPath(new URL("./build.sh", import.meta.url));
  const child = spawn("flock", [`${output}.lock`, "sh", script, output, version], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (printed = (printed + text).slice(-2_000)));
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject).once("close", resolve);
  });
  return code === 0 ? undefined : printed.trim();
}
