import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { until, type Supervisor, type SupervisorFolder } from "../process-supervisor.js";
import { builtGoProgram } from "./go-program.js";

const run = promisify(execFile);

/** Starts process-compose without processes, with all its files in a folder. */
export async function startProcessCompose(folder: string): Promise<Supervisor & SupervisorFolder> {
  const program = builtGoProgram("process-compose");
  const socket = join(folder, "socket");
  const file = join(folder, "process-compose.yaml");
  const env = { ...process.env, XDG_CONFIG_HOME: folder };
  const shared = ["-f", file, "-U", "-u", socket];
  // JSON is YAML.
  const write = (processes: object) => writeFileSync(file, JSON.stringify({ version: "0.5", processes }));
  write({});
  const child = spawn(
    program,
    ["up", ...shared, "-L", join(folder, "server.log"), "-t=false", "--keep-project", "--disable-dotenv"],
    { cwd: folder, env, stdio: "ignore" },
  );
  const exited = once(child, "exit");
  await until("process-compose listens", () => existsSync(socket) || child.exitCode !== null);
  if (child.exitCode !== null) throw new Error(`process-compose ended with code ${child.exitCode}`);
  return {
    name: "process-compose",
    folder,
    pids: [child.pid ?? 0],
    async add(commands) {
      const processes = commands.map((command, index) => [
        `w${index}`,
        { entrypoint: command, availability: { restart: "always" } },
      ]);
      write(Object.fromEntries(processes));
      await run(program, ["project", "update", ...shared, "-L", join(folder, "client.log")], {
        env,
        cwd: folder,
      });
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), 60_000);
      await exited;
      clearTimeout(timer);
    },
  };
}
