import type { Transport } from "../../../src/client/transport/transport.js";
import type { Resource } from "../../../src/model/index.js";
import type { ControllersOptions } from "../../../src/runtime/start/start-controllers.js";

/** Parts of an API that only some homes have. */
export type Part = "garbage collection";

/** Environment of controllers: an API, and a transport to it. */
export interface Home {
  readonly name: string;
  /** Missing parts with the reason; tests that need them are skipped. */
  readonly lacks: Readonly<Partial<Record<Part, string>>>;
  /** Opens the API with these kinds and without objects, as if it had just been installed. */
  open(kinds: readonly Resource[], options: Pick<ControllersOptions, "clock" | "random">): Promise<OpenHome>;
}

interface OpenHome extends AsyncDisposable {
  /** Closed by the caller. */
  readonly transport: Transport;
}
