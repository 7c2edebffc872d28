import { readFile } from "node:fs/promises";
import { createServer, isIPv6 } from "node:net";
import { errorCode, ifExists } from "./durable-files.js";
import { allProcesses, socketsOf, titleOf } from "./master-process.js";

/** Socket that accepts connections. */
export interface ListeningSocket {
  /** In the form of `node:net`; `::` and `0.0.0.0` for all addresses. */
  readonly address: string;
  readonly port: number;
  readonly inode: string;
}

/** Sockets of this machine that listen on a TCP port. */
export async function listeningSockets(port: number): Promise<readonly ListeningSocket[]> {
  const tables = await Promise.all(
    ["/proc/net/tcp", "/proc/net/tcp6"].map((path) => ifExists(readFile(path, "utf8"))),
  );
  return tables.flatMap((table) => parseSockets(table ?? "")).filter((socket) => socket.port === port);
}

/** Listening sockets in the content of `/proc/net/tcp` or `/proc/net/tcp6`. */
export function parseSockets(table: string): ListeningSocket[] {
  return table.split("\n").flatMap((line) => {
    const fields = line.trim().split(/\s+/);
    const [, hexAddress, hexPort] = /^([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4})$/.exec(fields[1] ?? "") ?? [];
    const inode = fields[9];
    const listens = fields[3] === "0A";
    if (!listens || hexAddress === undefined || hexPort === undefined || inode === undefined) return [];
    return [{ address: decodeAddress(hexAddress), port: Number.parseInt(hexPort, 16), inode }];
  });
}

/** Address from words of 32 bits in the byte order of the machine, which is little-endian wherever Node runs. */
function decodeAddress(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) =>
    (word.match(/../g) ?? []).toReversed().map((byte) => Number.parseInt(byte, 16)),
  );
  if (bytes.length === 4) return bytes.join(".");
  const groups = bytes.flatMap((byte, index) =>
    index % 2 === 0 ? [((byte << 8) | (bytes[index + 1] ?? 0)).toString(16)] : [],
  );
  return canonicalAddress(groups.join(":"));
}

/** Address in one form, so that `::1` and `0:0:0:0:0:0:0:1` are equal. */
export function canonicalAddress(address: string): string {
  return isIPv6(address) ? new URL(`http://[${address}]`).hostname.slice(1, -1) : address;
}

/** Attempts to bind run one after the other: two at the same time would find each other. */
let lastAttempt: Promise<unknown> = Promise.resolve();

/** Error with which this machine refuses to bind a port; undefined if it can be bound. */
export function bindProblem(address: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  const attempt = lastAttempt.then(() => tryToBind(address, port));
  lastAttempt = attempt.catch(() => {});
  return attempt;
}

async function tryToBind(address: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  const server = createServer((socket) => socket.destroy());
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      // As nginx binds: each IPv6 address for itself.
      server.listen({ host: address, port, exclusive: true, ipv6Only: isIPv6(address) }, resolve);
    });
    return undefined;
  } catch (error) {
    if (errorCode(error) !== undefined) return error as NodeJS.ErrnoException;
    throw error;
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Processes that have one of these sockets, as far as that can be seen, with all their sockets. */
export async function ownersOf(
  sockets: readonly ListeningSocket[],
): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const owners = new Map<number, ReadonlySet<string>>();
  for (const pid of await allProcesses()) {
    const inodes = await socketsOf(pid);
    if (sockets.some(({ inode }) => inodes.has(inode))) owners.set(pid, inodes);
  }
  return owners;
}

/** Name of a process for people, such as `python3 (process 71)`. */
export async function programOf(pid: number): Promise<string> {
  return `${await nameOf(pid)} (process ${pid})`;
}

async function nameOf(pid: number): Promise<string> {
  const name = await ifExists(readFile(`/proc/${pid}/comm`, "utf8"));
  return name?.trim() ?? (await titleOf(pid));
}
