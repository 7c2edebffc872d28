import { execFile } from "node:child_process";
import { readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { component } from "./component.js";
import { unprivileged } from "./machine/account.js";
import { environment } from "./process/guardian.js";

const run = promisify(execFile);

/** Debian keeps each major version in a folder of its own, off the PATH. */
const versions = "/usr/lib/postgresql";

/** Path of `initdb`, `psql` and the others, which are beside the real server program. */
function sibling(program: string, name: string): string {
  return join(dirname(realpathSync(program)), name);
}

/**
 * PostgreSQL with its defaults, including durability, and little memory. Every user of this machine may connect as the
 * superuser `postgres`, without a password.
 */
export const postgres = component({
  name: "postgres",
  program: { name: "postgres", package: "postgresql", folders: installed },
  account: () => unprivileged("postgres", "nobody"),
  ports: ["client"],
  // "Fast shutdown"; SIGTERM would wait for clients to leave.
  stopSignal: "SIGINT",
  async initialise({ program, dir, account }) {
    const options = ["--auth=trust", "--username=postgres", "--no-locale", "--encoding=UTF8", "--no-sync"];
    await run(sibling(program, "initdb"), ["--pgdata=data", ...options], {
      cwd: dir,
      env: environment(),
      ...(account && { uid: account.uid, gid: account.gid }),
    });
  },
  args({ ports }) {
    const settings = {
      port: ports.client,
      listen_addresses: "127.0.0.1",
      unix_socket_directories: "",
      shared_buffers: "16MB",
      // Inside the folder, so that a killed server leaves nothing in /dev/shm.
      dynamic_shared_memory_type: "mmap",
    };
    return ["-D", "data", ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
  },
  async ready({ program, ports }) {
    const args = ["--host=127.0.0.1", `--port=${ports.client}`, "--username=postgres", "--timeout=2"];
    return run(sibling(program, "pg_isready"), args, { env: environment() }).then(
      () => true,
      () => false,
    );
  },
  async cleanUp({ dir }) {
    const segment = leftSegment(join(dir, "data", "postmaster.pid"));
    if (segment !== undefined) await run("ipcrm", ["--shmem-id", segment]).catch(() => {});
  },
  expose: ({ ports }, { program }) => ({
    url: `postgres://postgres@127.0.0.1:${ports.client}/postgres`,
    /** Runs SQL by psql; resolves with the rows, columns separated by `|`. */
    async psql(sql: string): Promise<string> {
      const connection = ["--host=127.0.0.1", `--port=${ports.client}`, "--username=postgres"];
      const plain = ["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1"];
      const args = [...connection, ...plain, "--command", sql, "postgres"];
      const { stdout } = await run(sibling(program, "psql"), args, { env: environment() });
      return stdout.trimEnd();
    },
  }),
});

function installed(): string[] {
  try {
    const majors = readdirSync(versions).sort((a, b) => Number(b) - Number(a));
    return majors.map((major) => join(versions, major, "bin"));
  } catch {
    return [];
  }
}

/** Shared memory that a killed server could not free: its id is in the seventh line of the lock file. */
function leftSegment(lockFile: string): string | undefined {
  try {
    return readFileSync(lockFile, "utf8").split("\n")[6]?.trim().split(/\s+/)[1];
  } catch {
    return undefined;
  }
}
