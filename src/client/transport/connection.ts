/** Where a server is and how to prove who one is: what a kubeconfig or a pod's service account says. */
export interface Connection {
  /** Such as `https://127.0.0.1:6443`, with a path when the API is below one. */
  readonly server: string;
  /** Where objects are that do not say their namespace. */
  readonly namespace: string;
  readonly tls?: ConnectionTls | undefined;
  /** An HTTP proxy all requests go through. */
  readonly proxy?: string | undefined;
  /**
   * Headers that say who asks (Authorization, Impersonate-User, …), for every request. `renew` when the server has not
   * accepted the last ones: what was kept is fetched anew.
   */
  headers?(options?: { readonly renew?: boolean; readonly signal?: AbortSignal }): Promise<HeaderLines>;
  /**
   * The client certificate when it is not fixed: an exec plugin may return one with an end date. Asked before a
   * connection is opened; a new one means new connections.
   */
  certificate?(): Promise<ClientCertificate | undefined>;
}

/** Headers by name; a list for several lines of one name. */
export type HeaderLines = Readonly<Record<string, string | string[]>>;

export interface ConnectionTls {
  /** Certificates of authorities in PEM; the system's own unless told. */
  readonly ca?: string | Buffer | undefined;
  readonly certificate?: ClientCertificate | undefined;
  readonly serverName?: string | undefined;
  /** Believes any certificate. */
  readonly insecure?: boolean | undefined;
}

export interface ClientCertificate {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}
