import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer, type Server } from "node:net";

/**
 * Loopback ports that were free a moment ago, one for each name. All are held until the last is known, so
 * that they differ; between this and their use somebody else may take one, and the start is tried again.
 * The system gives them to nobody by itself, so that who stops listening can listen again later.
 */
export async function freePorts<Name extends string>(names: readonly Name[]): Promise<Record<Name, number>> {
  const held = await Promise.all(names.map(async (name) => ({ name, server: await listen() })));
  const ports: Record<Name, number> = Object.create(null);
  for (const { name, server } of held) {
    const address = server.address();
    if (address !== null && typeof address === "object") ports[name] = address.port;
  }
  await Promise.all(held.map(({ server }) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

async function listen(): Promise<Server> {
  const end = firstGivenPort();
  for (let tries = 0; tries < 100; tries++) {
    const server = await listenOn(firstPort + Math.floor(Math.random() * (end - firstPort)));
    if (server !== undefined) return server;
  }
  throw new Error(`none of 100 ports between ${firstPort} and ${end} is free`);
}

function listenOn(port: number): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE" || error.code === "EACCES") resolve(undefined);
      else reject(error);
    });
    server.listen(port, "127.0.0.1", () => resolve(server));
  });
}

/** Below are those that well-known programs like. */
const firstPort = 10_000;

/** From here on the system takes ports for connections, and for servers that ask for any. */
function firstGivenPort(): number {
  try {
    const first = Number(readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8").split(/\s/)[0]);
    if (first > firstPort + 1000) return first;
  } catch {
    // Not Linux.
  }
  return 32_768;
}

/** State "listening" in the fourth column of /proc/net/tcp. */
const listening = "0A";

/**
 * Whether this very process listens on the port. Without the question, a probe could be answered by the
 * neighbour that won the same port while our own program is still on its way to "address in use".
 * Where the system does not tell (no /proc, a process that hides its files), true: the probe decides alone.
 */
export function listens(pid: number, port: number): boolean {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  try {
    const inodes = new Set<string>();
    for (const line of readFileSync("/proc/net/tcp", "utf8").split("\n")) {
      const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
      if (state === listening && local?.endsWith(suffix) && inode) inodes.add(`socket:[${inode}]`);
    }
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).some((entry) => inodes.has(linkOf(`${folder}/${entry}`)));
  } catch {
    return true;
  }
}

/** A descriptor may be closed between the listing and the look. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
