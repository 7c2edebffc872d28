import {
  bindProblem,
  canonicalAddress,
  listeningSockets,
  ownersOf,
  programOf,
  type ListeningSocket,
} from "./listening-ports.js";
import type { InternalSocket } from "./internal-socket.js";
import type { MasterProcess } from "./master-process.js";

const wildcards = new Set(["0.0.0.0", "::"]);

/** A port of an address, and the nginx that is to have it. */
export interface WantedPort {
  readonly master: MasterProcess;
  readonly socket: InternalSocket;
  /** True if nginx is started by others, who may have more rights than this program. */
  readonly isStartedByOthers: boolean;
  readonly address: string;
  readonly port: number;
}

/** Says who uses a port, or why it cannot be bound; undefined if it is free or this nginx has it. */
export async function portProblem(wanted: WantedPort): Promise<string | undefined> {
  const { master, address, port } = wanted;
  const own = await ownSockets(master, port);
  const isServed = own.some((socket) => socket.address === canonicalAddress(address));
  if (isServed) return undefined;
  const error = await bindProblem(address, port);
  switch (error?.code) {
    case undefined:
      return undefined;
    case "EADDRINUSE":
      return inUse(wanted, own);
    case "EACCES":
      return wanted.isStartedByOthers ? undefined : permissionProblem(port);
    case "EADDRNOTAVAIL":
      return `This machine does not have the address ${address}: change spec.addresses of the ProxyClass`;
    default:
      return `Port ${port} on ${address} cannot be bound: ${error?.message ?? ""}`;
  }
}

async function ownSockets(master: MasterProcess, port: number): Promise<readonly ListeningSocket[]> {
  const inodes = await master.sockets();
  if (inodes.size === 0) return [];
  return (await listeningSockets(port)).filter(({ inode }) => inodes.has(inode));
}

async function inUse(
  { master, socket: internal, address, port }: WantedPort,
  own: readonly ListeningSocket[],
): Promise<string | undefined> {
  const all = await listeningSockets(port);
  const ownInodes = new Set(own.map(({ inode }) => inode));
  const others = all.filter((socket) => !ownInodes.has(socket.inode) && conflicts(socket.address, address));
  // nginx binds new sockets before it closes old ones, and cannot have a port on one address and on all of them.
  if (others.length === 0 && own.some((socket) => conflicts(socket.address, address)))
    return `Port ${port} cannot be bound on ${address} while nginx itself has it on ${own[0]?.address ?? "another address"}`;
  const owners = await ownersOf(others.length === 0 ? all : others);
  const internalInodes = await internal.inodes();
  for (const [pid, inodes] of owners) {
    // An nginx that is starting has no pid file yet, and workers whose master was killed are about to end.
    const isWorker = [...internalInodes].some((inode) => inodes.has(inode));
    if (isWorker || (await master.hasConfig(pid))) continue;
    return `Port ${port} on ${address} is in use by ${await programOf(pid)}`;
  }
  return owners.size > 0 ? undefined : `Port ${port} on ${address} is in use by another program`;
}

function conflicts(one: string, other: string): boolean {
  return one === other || wildcards.has(one) || wildcards.has(other);
}

function permissionProblem(port: number): string {
  return `Port ${port} cannot be bound without privileges: use a port from 1024 on, run Fettle as root, or lower net.ipv4.ip_unprivileged_port_start`;
}
