import { connectionTo, createClient, httpTransport, type Client } from "fettle/client";

/** Where a server is that runs in a process of its own. */
export interface Address {
  readonly port: number;
  readonly token: string;
  /** The authority that signed the certificate of one that speaks TLS, in PEM. */
  readonly ca?: string | undefined;
}

/** Brings nothing of the server along: processes that are measured load this. */
export function clientOf({ port, token, ca }: Address): Client {
  const server = `${ca === undefined ? "http" : "https"}://127.0.0.1:${port}`;
  const connection = connectionTo({ server, token, ca, proxy: false });
  return createClient({ transport: httpTransport({ connection, rate: false }) });
}
