import { connectionTo, createClient, httpTransport, type Client } from "fettle/client";

/** Address of a server in another process. */
export interface Address {
  readonly port: number;
  readonly token: string;
  /** Certificate authority of a server that uses TLS, in PEM. */
  readonly ca?: string | undefined;
}

/** Client for a server; this module loads no server code, because processes whose memory is measured import it. */
export function clientOf({ port, token, ca }: Address): Client {
  const server = `${ca === undefined ? "http" : "https"}://127.0.0.1:${port}`;
  const connection = connectionTo({ server, token, ca, proxy: false });
  return createClient({ transport: httpTransport({ connection, rate: false }) });
}
