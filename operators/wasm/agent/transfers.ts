import type { DeviceMessage, GatewayMessage } from "../protocol/messages.js";
import type { DeviceStore } from "./store.js";

/** Result of a transfer: the bytes, or undefined if they were another module. */
type Receiver = (bytes: Uint8Array | undefined) => void;

interface Transfer {
  readonly digest: string;
  readonly size: number;
  received: number;
  /** Whether its beginning was received over an earlier connection. */
  isResumed: boolean;
  readonly receivers: Receiver[];
}

/**
 * Modules that are being received. What was received stays in the store: after a disconnection, the next request for the module
 * continues where it ended.
 */
export class Transfers {
  readonly #transfers = new Map<string, Transfer>();
  readonly #store: DeviceStore;
  readonly #send: (message: DeviceMessage) => void;

  constructor(store: DeviceStore, send: (message: DeviceMessage) => void) {
    this.#store = store;
    this.#send = send;
  }

  get digests(): readonly string[] {
    return [...this.#transfers.keys()];
  }

  /** Requests a module that the store does not have. Requests for the same module share one transfer. */
  request(digest: string, size: number, receiver: Receiver): void {
    const current = this.#transfers.get(digest);
    if (current !== undefined) {
      current.receivers.push(receiver);
      return;
    }
    if (this.#store.partialSize(digest) > size) this.#store.removePartial(digest);
    const received = this.#store.partialSize(digest);
    const transfer = { digest, size, received, isResumed: received > 0, receivers: [receiver] };
    this.#transfers.set(digest, transfer);
    // The agent may have ended between the last chunk and its verification.
    if (received === size) this.#complete(transfer);
    else this.#send({ type: "need", digest, offset: received });
  }

  receive({ digest, offset, bytes }: GatewayMessage & { readonly type: "chunk" }): void {
    const transfer = this.#transfers.get(digest);
    // Chunks of a transfer that ended may still be on the way.
    if (transfer === undefined) return;
    if (offset === transfer.received && offset + bytes.length <= transfer.size) {
      this.#store.appendPartial(digest, bytes);
      transfer.received += bytes.length;
      this.#send({ type: "chunkReceived", digest, offset: transfer.received });
      if (transfer.received === transfer.size) this.#complete(transfer);
    } else if (offset > transfer.received) {
      this.#send({ type: "need", digest, offset: transfer.received });
    }
    // A chunk below was received before, and one beyond the size is never asked for.
  }

  /** Forgets all transfers when the connection is lost; the gateway deploys again over the next one. */
  clear(): void {
    this.#transfers.clear();
  }

  #complete(transfer: Transfer): void {
    const { digest } = transfer;
    const bytes = this.#store.completePartial(digest);
    if (bytes === undefined && transfer.isResumed) {
      // The beginning may have been damaged on the disk: once more from the start.
      transfer.isResumed = false;
      transfer.received = 0;
      this.#send({ type: "need", digest, offset: 0 });
      return;
    }
    this.#transfers.delete(digest);
    for (const receiver of transfer.receivers) receiver(bytes);
  }
}
