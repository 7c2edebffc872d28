import type { FailureReason } from "../kinds.js";

/**
 * Contract between the controllers and a gateway. `http/` uses the HTTP API of a real gateway and `memory/` simulates one with its
 * devices; `contract.ts` tests both.
 *
 *   controllers ──► GatewayDriver ──HTTP──► gateway ──TLS, CBOR──► device agents ──► modules
 *
 * Devices keep running what they have when the gateway or the controllers are gone. All methods are idempotent.
 *
 * @throws All methods throw a {@link GatewayError}; with the reason `GatewayDown` if the gateway could not be reached.
 */
export interface GatewayDriver extends AsyncDisposable {
  /** The gateway itself. */
  info(): Promise<GatewayInfo>;
  /** All admitted devices, and those that wait for approval (without a name). */
  devices(): Promise<readonly GatewayDevice[]>;
  /** Admits a device of this public key under a name. Throws with `Refused` if another name has the key. */
  admit(device: { readonly name: string; readonly publicKey: string }): Promise<void>;
  /** Forgets a device and closes its connection. Has no effect if it is unknown. */
  dismiss(name: string): Promise<void>;
  /** Whether the gateway has the bytes of a module. */
  hasModule(digest: string): Promise<boolean>;
  /** Gives a module to the gateway, to be sent to devices. Throws with `DigestMismatch` if it is another one. */
  putModule(digest: string, bytes: Uint8Array): Promise<void>;
  /**
   * Deploys an application and waits until the device has started it. Replaces an earlier deployment of that application. Has no
   * effect if the device has this deployment already, whatever became of it.
   *
   * @throws {GatewayError} if the device is not connected, refused it, or did not answer in time.
   */
  deploy(deployment: Deployment, signal?: AbortSignal): Promise<DeviceApplicationState>;
  /** Stops an application on a device and removes it from there. Has no effect if the device does not have it. */
  stop(device: string, application: string, signal?: AbortSignal): Promise<void>;
  /** Applications that a device has reported; undefined if it has not been connected since the gateway started. */
  applications(device: string): Promise<readonly DeviceApplicationState[] | undefined>;
  /** Calls the listener when something changed. Changes may be reported late or twice, and are never the only way to learn of them. */
  subscribe(listener: (change: GatewayChange) => void): Disposable;
}

export interface GatewayInfo {
  /** `host:port` for devices. */
  readonly address: string;
  /** SHA-256 of its public key, in hexadecimal digits. */
  readonly fingerprint: string;
  readonly version: string;
}

export interface GatewayDevice {
  /** Name under which it was admitted; undefined for a device that waits for approval. */
  readonly name: string | undefined;
  /** SubjectPublicKeyInfo (DER) in base64. */
  readonly publicKey: string;
  readonly isConnected: boolean;
  /** ISO 8601. */
  readonly connectedAt: string | undefined;
  readonly lastHeartbeat: string | undefined;
  /** Name and version of the agent, such as `fettle-device/0.1.0`. */
  readonly agent: string | undefined;
  /** Labels and capabilities that the agent says it has. */
  readonly labels: Readonly<Record<string, string>>;
  readonly capabilities: { readonly memory?: number | undefined; readonly features: readonly string[] };
}

export interface Deployment {
  readonly device: string;
  /** `namespace/name` of the Application. */
  readonly application: string;
  /** Identifies this deployment. */
  readonly id: string;
  readonly digest: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Bytes. */
  readonly memoryLimit: number;
  /** Milliseconds. */
  readonly timeLimit: number | undefined;
}

/** What became of a deployment on a device. */
export interface DeviceApplicationState {
  readonly application: string;
  /** Its deployment. */
  readonly id: string;
  readonly state: "Running" | "Completed" | "Failed" | "Stopped";
  readonly exitCode?: number | undefined;
  readonly failure?: { readonly reason: FailureReason; readonly message: string } | undefined;
  readonly startedAt?: string | undefined;
  readonly finishedAt?: string | undefined;
}

export interface GatewayChange {
  /** Name of the device; undefined for a change of devices that wait for approval, or of the gateway as a whole. */
  readonly device: string | undefined;
  /** Application of the device that changed; undefined for the device itself. */
  readonly application: string | undefined;
  readonly text: string;
}

/** Something that a gateway or a device could not do. */
export class GatewayError extends Error {
  constructor(
    readonly reason: FailureReason,
    message: string,
  ) {
    super(message);
    this.name = "GatewayError";
  }

  /** Whether another attempt can succeed without any change to what is deployed. */
  get isTransient(): boolean {
    return ["DeviceDisconnected", "Timeout", "GatewayDown"].includes(this.reason);
  }
}
