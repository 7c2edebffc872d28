import { createHash } from "node:crypto";
import type { Deployment, DeviceApplicationState } from "../driver/driver.js";
import { digestOf } from "../module/inspect.js";
import type { Files } from "./files.js";
import type { KeyValues } from "./runtime/runtime.js";

/** An application on this device. */
export interface InstalledApplication {
  readonly deployment: DeviceDeployment;
  readonly state: DeviceApplicationState;
  /** Module of the deployment before, kept to return to it without another transfer. */
  readonly previousDigest?: string | undefined;
}

export type DeviceDeployment = Omit<Deployment, "device">;

/** Bytes that the values of one application may take. */
const defaultValueQuota = 1024 * 1024;
/** Bytes that each value takes besides its own, so that many empty ones are not free. */
const valueOverhead = 256;

/**
 * Everything that an agent keeps:
 *
 *     key.pem                     private key, which is the identity of the device
 *     gateway                     fingerprint of the gateway that is trusted
 *     modules/<sha256>.wasm       complete and verified
 *     modules/<sha256>.part       beginning of a module
 *     applications/<name>.json    deployment and state
 *     values/<name>/<key>         values of the application
 *
 * Names of applications and keys are hashed, as they may contain anything.
 */
export class DeviceStore {
  readonly #files: Files;
  readonly #valueQuota: number;

  constructor(files: Files, { valueQuota = defaultValueQuota }: { readonly valueQuota?: number } = {}) {
    this.#files = files;
    this.#valueQuota = valueQuota;
  }

  /** Private key in PEM, created at the first use. */
  privateKey(create: () => string): string {
    const stored = this.#files.read("key.pem");
    if (stored !== undefined) return Buffer.from(stored).toString("utf8");
    const key = create();
    this.#files.write("key.pem", Buffer.from(key));
    return key;
  }

  get gatewayFingerprint(): string | undefined {
    const stored = this.#files.read("gateway");
    return stored === undefined ? undefined : Buffer.from(stored).toString("utf8").trim();
  }

  set gatewayFingerprint(fingerprint: string) {
    this.#files.write("gateway", Buffer.from(`${fingerprint}\n`));
  }

  /** Bytes of a module; undefined if it is missing or was damaged. */
  module(digest: string): Uint8Array | undefined {
    const path = modulePath(digest, "wasm");
    const bytes = this.#files.read(path);
    if (bytes === undefined || digestOf(bytes) === digest) return bytes;
    this.#files.remove(path);
    return undefined;
  }

  /** Bytes that were received of a module. */
  partialSize(digest: string): number {
    return this.#files.size(modulePath(digest, "part"));
  }

  appendPartial(digest: string, bytes: Uint8Array): void {
    this.#files.append(modulePath(digest, "part"), bytes);
  }

  removePartial(digest: string): void {
    this.#files.remove(modulePath(digest, "part"));
  }

  /** Verifies the bytes that were received, and returns them as a module. Removes them if they are another one. */
  completePartial(digest: string): Uint8Array | undefined {
    const partial = modulePath(digest, "part");
    const bytes = this.#files.read(partial) ?? new Uint8Array();
    if (digestOf(bytes) !== digest) {
      this.#files.remove(partial);
      return undefined;
    }
    this.#files.rename(partial, modulePath(digest, "wasm"));
    return bytes;
  }

  /** Removes all modules, and beginnings of modules, except for these. */
  pruneModules(digests: ReadonlySet<string>): void {
    for (const name of this.#files.list("modules")) {
      if (!digests.has(`sha256:${name.slice(0, name.indexOf("."))}`)) this.#files.remove(`modules/${name}`);
    }
  }

  /** All applications. One whose file was damaged is removed: the gateway deploys it again. */
  applications(): readonly InstalledApplication[] {
    return this.#files.list("applications").flatMap((name) => {
      const path = `applications/${name}`;
      try {
        const text = Buffer.from(this.#files.read(path) ?? []).toString("utf8");
        const { deployment, state, previousDigest } = JSON.parse(text) as InstalledApplication;
        return [{ deployment, state, previousDigest }];
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        this.#files.remove(path);
        return [];
      }
    });
  }

  save(application: InstalledApplication): void {
    const path = applicationPath(application.deployment.application);
    this.#files.write(path, Buffer.from(JSON.stringify(application)));
  }

  /** Removes an application. Its values stay, as it may come back. */
  remove(application: string): void {
    this.#files.remove(applicationPath(application));
  }

  values(application: string): KeyValues {
    const files = this.#files;
    const folder = `values/${hash(application)}`;
    const pathOf = (key: string): string => `${folder}/${hash(key)}`;
    let used: number | undefined;
    const usage = (): number =>
      (used ??= files
        .list(folder)
        .reduce((sum, name) => sum + files.size(`${folder}/${name}`) + valueOverhead, 0));
    const charge = (value: Uint8Array | undefined): number =>
      value === undefined ? 0 : value.length + valueOverhead;
    return {
      get: (key) => files.read(pathOf(key)),
      set: (key, value) => {
        const after = usage() - charge(files.read(pathOf(key))) + charge(value);
        if (after > this.#valueQuota) return false;
        try {
          files.write(pathOf(key), value);
        } catch {
          // A full disk looks like a full quota to a module.
          return false;
        }
        used = after;
        return true;
      },
      delete: (key) => {
        const value = files.read(pathOf(key));
        if (value === undefined) return false;
        used = usage() - charge(value);
        files.remove(pathOf(key));
        return true;
      },
    };
  }
}

function modulePath(digest: string, type: "wasm" | "part"): string {
  const [, hex] = /^sha256:([0-9a-f]{64})$/.exec(digest) ?? [];
  if (hex === undefined) throw new TypeError(`not a digest: ${JSON.stringify(digest)}`);
  return `modules/${hex}.${type}`;
}

function applicationPath(application: string): string {
  return `applications/${hash(application)}.json`;
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
