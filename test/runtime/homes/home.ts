import type { Transport } from "../../../src/client/transport/transport.js";
import type { Resource } from "../../../src/model/index.js";
import type { ControllersOptions } from "../../../src/runtime/start/start-controllers.js";

/** What only some homes do for the objects that are kept in them. */
export type Part = "garbage collection";

/** A place where controllers run: an API, and the way to it. */
export interface Home {
  readonly name: string;
  /** What nobody does here, and why; such tests are skipped, and say this. */
  readonly lacks: Readonly<Partial<Record<Part, string>>>;
  /** The API with these kinds and no objects but its own, as if it had just been installed. */
  open(kinds: readonly Resource[], options: Pick<ControllersOptions, "clock" | "random">): Promise<OpenHome>;
}

interface OpenHome extends AsyncDisposable {
  /** Closing it is up to whoever uses it. */
  readonly transport: Transport;
}
