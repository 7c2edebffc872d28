/** What is known of a device. */
export interface Sight {
  readonly connected: boolean;
  readonly state: "running" | "stopped";
  /** What it was last configured with. */
  readonly config?: Readonly<Record<string, string>> | undefined;
}

/**
 * Where devices are reached: the outside world of this example. All of it may be done again without harm. What fails may
 * work later, except for a PermanentError, which says that it never will.
 */
export interface Gateway {
  look(device: string, signal: AbortSignal): Promise<Sight>;
  connect(device: string, signal: AbortSignal): Promise<void>;
  configure(device: string, config: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void>;
  start(device: string, signal: AbortSignal): Promise<void>;
  stop(device: string, signal: AbortSignal): Promise<void>;
}
