import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer, type Server } from "node:net";

/**
 * Loopback ports that are free now, one for each name. All are held until the last is found, so that they differ;
 * another process may take one before its use, and then the start is retried. They are outside of the system's
 * ephemeral range, so that a stopped server can listen on the same port again.
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

/** Well-known programs use ports below. */
const firstPort = 10_000;

/** Start of the ephemeral range, from which the system takes ports for connections. */
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
 * True if this process listens on the port. Otherwise a probe could reach another process that won the same port while
 * our program is about to fail with "address in use". True also where the system does not tell (no /proc, a process
 * that hides its files): then the probe decides alone.
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

/** Target of a descriptor, which may be closed meanwhile. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
