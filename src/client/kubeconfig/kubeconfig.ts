/** What one or several kubeconfig files say, with file references made absolute. Nothing referred to has been read. */
export interface Kubeconfig {
  /** Where it was read from, in the order of precedence. */
  readonly files: readonly string[];
  readonly currentContext: string | undefined;
  readonly contexts: ReadonlyMap<string, KubeconfigContext>;
  readonly clusters: ReadonlyMap<string, KubeconfigCluster>;
  readonly users: ReadonlyMap<string, KubeconfigUser>;
}

export interface KubeconfigEntry {
  readonly name: string;
  /** File and line it stands at, for messages. */
  readonly where: string;
}

export interface KubeconfigContext extends KubeconfigEntry {
  readonly cluster: string | undefined;
  readonly user: string | undefined;
  readonly namespace: string | undefined;
}

export interface KubeconfigCluster extends KubeconfigEntry {
  readonly server: string | undefined;
  readonly ca: FileOrData;
  readonly insecure: boolean;
  readonly serverName: string | undefined;
  readonly proxyUrl: string | undefined;
  /** The extension that exec plugins are handed as `config`. */
  readonly execConfig: unknown;
}

export interface KubeconfigUser extends KubeconfigEntry {
  readonly certificate: FileOrData;
  readonly key: FileOrData;
  readonly token: string | undefined;
  readonly tokenFile: string | undefined;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly impersonate: Impersonation | undefined;
  readonly exec: ExecConfig | undefined;
  /** The name of an auth provider: a mechanism that exec plugins have replaced. */
  readonly authProvider: string | undefined;
}

/** A file, or its content in place. That only one of them is there is checked when the entry is used, as kubectl does. */
export interface FileOrData {
  readonly file: string | undefined;
  readonly data: Buffer | undefined;
}

/** Who requests are made as; who makes them needs the right to impersonate. */
export interface Impersonation {
  readonly user?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly uid?: string | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** A program that prints credentials. */
export interface ExecConfig {
  /** Absolute, or a bare name that is looked up on the PATH. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly apiVersion: string | undefined;
  readonly installHint: string | undefined;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: string | undefined;
}
