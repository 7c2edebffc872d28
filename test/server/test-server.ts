import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer, type Server, type ServerOptions } from "../../src/server/server.js";
import { openSqliteStore, type Store } from "../../src/store/index.js";

export interface TestServer extends AsyncDisposable {
  readonly server: Server;
  readonly store: Store;
  readonly url: string;
  readonly token: string;
  readonly kubeconfig: string;
  /** Data folder, deleted when the server is closed. */
  readonly data: string;
  /** Internal errors of the server, whatever it responded. */
  readonly errors: readonly unknown[];
  close(): Promise<void>;
}

/** Server on a free port with a store on disk, as `fettle up` starts it. */
export async function startTestServer(options: Partial<ServerOptions> = {}): Promise<TestServer> {
  const data = mkdtempSync(join(tmpdir(), "fettle-server-"));
  const store = await openSqliteStore(join(data, "store"));
  const errors: unknown[] = [];
  const remove = async (): Promise<void> => {
    await store.close();
    rmSync(data, { recursive: true, force: true });
  };
  try {
    const server = await startServer({
      store,
      data,
      port: 0,
      onError: (error) => errors.push(error),
      // Most tests count objects, and these appear at any time after the start.
      publish: false,
      ...options,
    });
    const close = async (): Promise<void> => {
      await server.close();
      await remove();
    };
    const { url, token, kubeconfig } = server;
    return { server, store, url, token, kubeconfig, data, errors, close, [Symbol.asyncDispose]: close };
  } catch (error) {
    await remove();
    throw error;
  }
}
