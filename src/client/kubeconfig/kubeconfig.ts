/** Content of one or several kubeconfig files, with absolute paths. Referenced files have not been read. */
export interface Kubeconfig {
  /** Files it was read from, in order of precedence. */
  readonly files: readonly string[];
  readonly currentContext: string | undefined;
  readonly contexts: ReadonlyMap<string, KubeconfigContext>;
  readonly clusters: ReadonlyMap<string, KubeconfigCluster>;
  readonly users: ReadonlyMap<string, KubeconfigUser>;
}

export interface KubeconfigEntry {
  readonly name: string;
  /** File and line, for messages. */
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
  /** Extension passed to exec plugins as `config`. */
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
  /** Name of an auth provider, which exec plugins have replaced. */
  readonly authProvider: string | undefined;
}

/** File, or its content inline. Checked for both being set when the entry is used, as kubectl does. */
export interface FileOrData {
  readonly file: string | undefined;
  readonly data: Buffer | undefined;
}

/** Impersonated user; the real user needs the permission to impersonate. */
export interface Impersonation {
  readonly user?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly uid?: string | undefined;
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** Exec plugin: a program that prints credentials. */
export interface ExecConfig {
  /** Absolute path, or a name on the PATH. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly apiVersion: string | undefined;
  readonly installHint: string | undefined;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: string | undefined;
}
