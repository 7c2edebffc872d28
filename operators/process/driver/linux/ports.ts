import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { DriverError } from "../driver.js";
import { errorCode } from "./identity.js";

/** Ports below those that Linux gives to outgoing connections, so that none of these takes one while its process restarts. */
const range = { first: 20_000, last: 32_767 };

/** @throws {DriverError} if no port of the host can be used, such as one that is not an address of this machine. */
export async function isPortFree(host: string, port: number): Promise<boolean> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host, port, exclusive: true }, resolve);
    });
    return true;
  } catch (error) {
    if (errorCode(error) === "EADDRINUSE") return false;
    throw new DriverError("NoSuchAddress", `Port ${port} on ${host} cannot be used: ${bindProblem(error)}`, {
      cause: error,
    });
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

function bindProblem(error: unknown): string {
  switch (errorCode(error)) {
    case "EADDRNOTAVAIL":
      return "this machine does not have that address";
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return "the name of the host cannot be resolved";
    case "EACCES":
      return "Fettle is not permitted to; run it as root, or use a port from 1024 on";
    default:
      return error instanceof Error ? error.message : String(error);
  }
}

export async function allocatePort(host: string, taken: ReadonlySet<number>): Promise<number> {
  const count = range.last - range.first + 1;
  const start = randomInt(count);
  for (let step = 0; step < count; step++) {
    const port = range.first + ((start + step) % count);
    if (!taken.has(port) && (await isPortFree(host, port))) return port;
  }
  throw new DriverError("NotPermitted", `No port of ${host} from ${range.first} to ${range.last} is free`);
}
