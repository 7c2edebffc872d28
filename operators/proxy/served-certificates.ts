import type { ObjectOf } from "fettle";
import type { Secret } from "fettle/kubernetes";
import type { ProxyDriver, ProxyState } from "./driver/driver.js";

type Files = ReadonlyMap<string, string>;

/** Certificates that the nginx of each class serves, as they are in its files. */
export class ServedCertificates {
  readonly #classes = new Map<string, Files>();

  /** Reads the files of the last good configuration, once after a start. */
  async load(className: string, driver: ProxyDriver, { good }: ProxyState): Promise<void> {
    if (this.#classes.has(className) || good === undefined) return;
    // Files that were changed by others cannot be used.
    const files = await driver.read(good.number).catch(() => undefined);
    this.set(className, files ?? new Map());
  }

  /** Remembers the certificates of a configuration that is served now. */
  set(className: string, files: Files): void {
    this.#classes.set(className, new Map([...files].filter(([path]) => path.startsWith("certificates/"))));
  }

  delete(className: string): void {
    this.#classes.delete(className);
  }

  /** Certificate and key from the files, in the form of the Secret that they come from. */
  find(className: string, namespace: string, name: string): ObjectOf<typeof Secret> | undefined {
    const files = this.#classes.get(className);
    const [certificate, key] = ["crt", "key"].map((type) =>
      files?.get(`certificates/${namespace}_${name}.${type}`),
    );
    if (certificate === undefined || key === undefined) return undefined;
    return {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { namespace, name },
      type: "kubernetes.io/tls",
      data: { "tls.crt": base64(certificate), "tls.key": base64(key) },
    };
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
