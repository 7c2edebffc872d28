/** State of a device. */
export interface Sight {
  readonly connected: boolean;
  readonly state: "running" | "stopped";
  /** Last config that was written to it. */
  readonly config?: Readonly<Record<string, string>> | undefined;
}

/**
 * Access to devices, the outside world of this example. All methods are idempotent. Errors are temporary, except for a
 * PermanentError.
 */
export interface Gateway {
  look(device: string, signal: AbortSignal): Promise<Sight>;
  connect(device: string, signal: AbortSignal): Promise<void>;
  configure(device: string, config: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void>;
  start(device: string, signal: AbortSignal): Promise<void>;
  stop(device: string, signal: AbortSignal): Promise<void>;
}
