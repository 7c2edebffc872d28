import { connectionTo, createClient, httpTransport, type Client } from "fettle/client";

/** Where a server is that runs in a process of its own. */
export interface Address {
  readonly port: number;
  readonly token: string;
}

/** Brings nothing of the server along: processes that are measured load this. */
export function clientOf({ port, token }: Address): Client {
  const connection = connectionTo({ server: `http://127.0.0.1:${port}`, token, proxy: false });
  return createClient({ transport: httpTransport({ connection, rate: false }) });
}
