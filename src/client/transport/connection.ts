/** Address of a server and credentials for it, from a kubeconfig or a pod's service account. */
export interface Connection {
  /** URL such as `https://127.0.0.1:6443`, with a path if the API is not at the root. */
  readonly server: string;
  /** Default namespace. */
  readonly namespace: string;
  readonly tls?: ConnectionTls | undefined;
  /** URL of an HTTP proxy for all requests. */
  readonly proxy?: string | undefined;
  /**
   * Returns the authentication headers (Authorization, Impersonate-User, …) of a request. With `renew`, after a 401, cached
   * credentials are fetched again.
   */
  headers?(options?: { readonly renew?: boolean; readonly signal?: AbortSignal }): Promise<HeaderLines>;
  /**
   * Returns the client certificate when it can change, such as one of an exec plugin. Called before a connection is opened;
   * another certificate means new connections.
   */
  certificate?(): Promise<ClientCertificate | undefined>;
}

/** Headers by name; an array for repeated headers. */
export type HeaderLines = Readonly<Record<string, string | string[]>>;

export interface ConnectionTls {
  /** CA certificates in PEM. Default: the system's. */
  readonly ca?: string | Buffer | undefined;
  readonly certificate?: ClientCertificate | undefined;
  readonly serverName?: string | undefined;
  /** Skip the verification of the server's certificate. */
  readonly insecure?: boolean | undefined;
}

export interface ClientCertificate {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}
