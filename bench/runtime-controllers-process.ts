import { startControllers } from "fettle/runtime";
import { clientOf, type Address } from "./runtime-client.js";
import { widgetController } from "./runtime-widgets.js";

/** What this process works on; it answers once it does, and after that with its memory whenever it is asked. */
export interface ControllersTask {
  readonly address: Address;
  readonly namespace: string;
}

export interface ControllersMemory {
  readonly rss: number;
  /** The most that it ever was. */
  readonly peak: number;
  readonly heapUsed: number;
  readonly heapTotal: number;
}

process.once("message", ({ address, namespace }: ControllersTask) => void work(address, namespace));

async function work(address: Address, namespace: string): Promise<void> {
  const controllers = [widgetController({ namespace, parts: true })];
  await startControllers({ controllers, client: clientOf(address) }).ready();
  process.on("message", () => process.send?.(memory()));
  process.send?.({ ready: true });
}

function memory(): ControllersMemory {
  const { rss, heapUsed, heapTotal } = process.memoryUsage();
  return { rss, heapUsed, heapTotal, peak: process.resourceUsage().maxRSS * 1024 };
}
