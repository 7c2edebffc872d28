import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { IdentifiedProcess, until, type Supervisor, type SupervisorFolder } from "../process-supervisor.js";

const run = promisify(execFile);

/** Starts the daemon of pm2 with all its files in a folder. */
export async function startPm2(folder: string): Promise<Supervisor & SupervisorFolder> {
  const program = join(installed(), "node_modules", "pm2", "bin", "pm2");
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, ...inherited } = process.env;
  const env = { ...inherited, PM2_HOME: folder, PM2_DISABLE_VERSION_CHECK: "true" };
  const pm2 = (...words: readonly string[]) =>
    run(process.execPath, [program, ...words], { env, cwd: folder });
  await pm2("ping");
  const pid = Number(readFileSync(join(folder, "pm2.pid"), "utf8"));
  const daemon = new IdentifiedProcess(pid);
  return {
    name: "pm2",
    folder,
    pids: [pid],
    async add(commands) {
      const apps = commands.map(([script = "", ...args], index) => ({
        name: `w${index}`,
        script,
        args,
        interpreter: "none",
        // By default it gives up after 16 restarts.
        max_restarts: 1_000_000,
      }));
      const file = join(folder, "ecosystem.json");
      writeFileSync(file, JSON.stringify({ apps }));
      await pm2("start", file, "--silent");
    },
    async [Symbol.asyncDispose]() {
      await pm2("kill").catch(() => {});
      daemon.kill();
      await until("pm2 has ended", () => !daemon.isRunning());
    },
  };
}

/** Installs the version of `bench/peers/pm2` outside the repository; returns its folder, which is named by the hash of the lock file. */
function installed(): string {
  const source = fileURLToPath(new URL("../../../bench/peers/pm2/", import.meta.url));
  const hash = createHash("sha256").update(readFileSync(join(source, "package-lock.json")));
  const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "fettle");
  const folder = join(cache, `bench-pm2-${hash.digest("hex").slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(unfinished, { recursive: true });
  for (const file of ["package.json", "package-lock.json"])
    cpSync(join(source, file), join(unfinished, file));
  const words = ["ci", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund"];
  const { status, stderr, error } = spawnSync("npm", words, { cwd: unfinished, encoding: "utf8" });
  if (status !== 0) {
    rmSync(unfinished, { recursive: true, force: true });
    throw new Error(`pm2 could not be installed: ${error?.message ?? stderr}`);
  }
  renameSync(unfinished, folder);
  return folder;
}
