import type { ProxyDriver } from "./driver/driver.js";
import type { ProxyClassObject } from "./kinds/proxy.js";

/** Opens the driver of a class. */
type OpenDriver = (proxyClass: ProxyClassObject) => Promise<ProxyDriver>;

interface OpenedDriver {
  /** Settings that the driver was opened with. */
  readonly settings: string;
  readonly driver: Promise<ProxyDriver>;
}

export interface ClassDriversOptions {
  readonly open: OpenDriver;
  /** Called when nginx or its files have changed. */
  readonly onChange: (className: string, text: string) => void;
  /** Called when the driver of a class was closed. */
  readonly onClose?: ((className: string) => void) | undefined;
}

/** Drivers of all classes: each is opened when it is first used, and again when its settings have changed. */
export class ClassDrivers implements AsyncDisposable {
  readonly #options: ClassDriversOptions;
  readonly #drivers = new Map<string, OpenedDriver>();

  constructor(options: ClassDriversOptions) {
    this.#options = options;
  }

  async get(proxyClass: ProxyClassObject): Promise<ProxyDriver> {
    const name = proxyClass.metadata.name ?? "";
    const { nginx, addresses } = proxyClass.spec;
    const settings = JSON.stringify([nginx, addresses]);
    const before = this.#drivers.get(name);
    if (before?.settings === settings) return before.driver;
    // Set before anything is awaited, so that a second caller gets the same driver.
    const opened = { settings, driver: this.#replace(before, proxyClass) };
    this.#drivers.set(name, opened);
    try {
      return await opened.driver;
    } catch (error) {
      if (this.#drivers.get(name) === opened) this.#drivers.delete(name);
      throw error;
    }
  }

  async close(name: string): Promise<void> {
    const opened = this.#drivers.get(name);
    this.#drivers.delete(name);
    await this.#dispose(name, opened);
  }

  async #replace(before: OpenedDriver | undefined, proxyClass: ProxyClassObject): Promise<ProxyDriver> {
    const name = proxyClass.metadata.name ?? "";
    await this.#dispose(name, before);
    const driver = await this.#options.open(proxyClass);
    // Ends with the driver.
    driver.subscribe((text) => this.#options.onChange(name, text));
    return driver;
  }

  async #dispose(name: string, opened: OpenedDriver | undefined): Promise<void> {
    if (opened === undefined) return;
    const driver = await opened.driver.catch(() => undefined);
    await driver?.[Symbol.asyncDispose]();
    this.#options.onClose?.(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#drivers.keys()].map((name) => this.close(name)));
  }
}
