import type { ClientCertificate } from "../../transport/connection.js";
import type { CredentialsRequest } from "../credentials/authorization.js";
import type { ExecConfig } from "../kubeconfig.js";
import { KubeconfigError } from "../kubeconfig-error.js";
import type { Surroundings } from "../surroundings.js";
import { parseExecCredential, type ExecCredential } from "./exec-credential.js";
import { execInfo, type ExecCluster } from "./exec-info.js";
import { ExecPluginError } from "./exec-plugin-error.js";
import { runPlugin } from "./run-plugin.js";
import { SharedRun } from "./shared-run.js";

export interface ExecPluginOptions {
  readonly config: ExecConfig;
  /** Position of the user entry. */
  readonly where: string;
  readonly cluster: ExecCluster;
  readonly surroundings: Surroundings;
  /** Timeout of a non-interactive run in milliseconds. */
  readonly timeout: number;
}

/**
 * Credentials from a program. It runs when they are first needed, have expired, or were rejected; concurrent callers share
 * one run.
 */
export class ExecPlugin {
  readonly #options: ExecPluginOptions;
  readonly #apiVersion: string;
  readonly #interactive: boolean;
  readonly #run: SharedRun<ExecCredential>;
  #last: ExecCredential | undefined;

  constructor(options: ExecPluginOptions) {
    this.#options = options;
    this.#apiVersion = supportedVersion(options);
    this.#interactive = mayAsk(options, this.#apiVersion);
    this.#run = new SharedRun((signal) => this.#renew(signal));
  }

  async authorization({ renew = false, signal }: CredentialsRequest): Promise<string | undefined> {
    return (await this.#credential(renew, signal)).authorization;
  }

  /** Client certificate; the same object as long as it does not change. */
  async certificate(): Promise<ClientCertificate | undefined> {
    return (await this.#credential(false)).certificate;
  }

  async #credential(renew: boolean, signal?: AbortSignal): Promise<ExecCredential> {
    const last = this.#last;
    const now = this.#options.surroundings.clock.now();
    return last !== undefined && !renew && now < last.expires ? last : this.#run.join(signal);
  }

  async #renew(signal: AbortSignal): Promise<ExecCredential> {
    const { config, surroundings, cluster, timeout } = this.#options;
    const info = execInfo(
      this.#apiVersion,
      this.#interactive,
      config.provideClusterInfo ? cluster : undefined,
    );
    const text = await runPlugin(config, {
      env: { ...surroundings.env, ...config.env, KUBERNETES_EXEC_INFO: info },
      clock: surroundings.clock,
      interactive: this.#interactive,
      // An interactive login has no timeout.
      timeout: this.#interactive ? undefined : timeout,
      onLine: (line) => surroundings.warn(`${config.command}: ${line}`),
      signal,
    });
    let next: ExecCredential;
    try {
      next = parseExecCredential(text, this.#apiVersion);
    } catch (error) {
      throw new ExecPluginError(config.command, (error as Error).message, { cause: error });
    }
    const before = this.#last?.certificate;
    const same = before?.cert === next.certificate?.cert && before?.key === next.certificate?.key;
    this.#last = same ? { ...next, certificate: before } : next;
    return this.#last;
  }
}

const versions = ["client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"];

function supportedVersion({ config, where }: ExecPluginOptions): string {
  if (config.apiVersion !== undefined && versions.includes(config.apiVersion)) return config.apiVersion;
  throw new KubeconfigError(
    `${where}: exec.apiVersion is ${config.apiVersion ?? "missing"}; it must be ${versions.join(" or ")}, whichever ${config.command} supports`,
  );
}

function mayAsk({ config, where, surroundings }: ExecPluginOptions, apiVersion: string): boolean {
  const mode = config.interactiveMode ?? (apiVersion === versions[0] ? undefined : "IfAvailable");
  if (mode === "Never") return false;
  if (mode === "IfAvailable") return surroundings.interactive;
  if (mode !== "Always") {
    throw new KubeconfigError(
      `${where}: exec.interactiveMode is ${mode ?? "missing"}; it must be Never, IfAvailable or Always`,
    );
  }
  if (surroundings.interactive) return true;
  throw new KubeconfigError(
    `${where}: the exec plugin ${config.command} is interactive (interactiveMode is Always), but standard input is not a terminal; use other credentials here, such as a token`,
  );
}
