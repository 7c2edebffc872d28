import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { DriverError } from "../driver.js";

/** Ports below those that Linux gives to outgoing connections, so that none of these takes one while its process restarts. */
const range = { first: 20_000, last: 32_767 };

export async function isPortFree(host: string, port: number): Promise<boolean> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host, port, exclusive: true }, resolve);
    });
    return true;
  } catch {
    return false;
  } finally {
    await new Promise((resolve) => server.close(resolve));
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
