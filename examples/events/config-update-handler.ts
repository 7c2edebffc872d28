import { ConfigUpdated, EventRejected, type CloudEvent, type EventHandler } from "fettle/events";

/** Part of a proxy that applies configurations. */
export interface NginxManager {
  validate(configuration: object): Promise<boolean>;
  apply(configuration: object): Promise<void>;
  verify(): Promise<boolean>;
  rollback(): Promise<void>;
}

/** Applies configurations to a proxy when they change, and takes them back if they do not work. */
export class ConfigUpdateHandler implements EventHandler {
  readonly name = "ConfigUpdateHandler";
  readonly #nginx: NginxManager;

  constructor(nginx: NginxManager) {
    this.#nginx = nginx;
  }

  canHandle(event: CloudEvent): boolean {
    return event.type === ConfigUpdated.type;
  }

  async handle(event: CloudEvent): Promise<void> {
    if (!ConfigUpdated.is(event) || event.data === undefined)
      throw new EventRejected("it has no configuration");
    const { configuration } = event.data;
    if (!(await this.#nginx.validate(configuration))) throw new EventRejected("the configuration is invalid");
    await this.#nginx.apply(configuration);
    if (await this.#nginx.verify()) return;
    await this.#nginx.rollback();
    throw new Error("the configuration could not be verified");
  }
}
