import { join } from "node:path";
import { writeFile } from "node:fs/promises";
import { stringify } from "yaml";
import { onTestFinished } from "vitest";
import type { Client } from "../../src/client/client.js";
import { createClient } from "../../src/client/create-client.js";
import { loadConnection } from "../../src/client/kubeconfig/load-connection.js";
import { ConfigMap } from "../../src/client/kinds/kubernetes.js";
import { httpTransport, type HttpTransport } from "../../src/client/transport/http/http-transport.js";
import type { PeerList } from "../../src/plane/management/contract.js";
import type { PeerState } from "../../src/plane/peers/peer-state.js";
import { fettle, type FettleProcess } from "../cli/fettle-process.js";
import { folderWith } from "../cli/folder.js";
import { until } from "./until.js";

type Settings = Readonly<Record<string, unknown>>;

/** A control plane in a process of its own, which can be stopped and started again. */
export interface PlaneProcess {
  readonly folder: string;
  readonly kubeconfig: string;
  /** Client of the running process. */
  readonly client: Client;
  readonly running: FettleProcess;
  /** Peers to pull from, and further settings; for the next start. */
  configure(peers: readonly Settings[], settings?: Settings): Promise<void>;
  start(): Promise<void>;
  /** Ends the process and waits for its end. */
  stop(signal?: NodeJS.Signals): Promise<number | string>;
  peers(): Promise<readonly PeerState[]>;
  /** Resolves when all peers, or one, have reached a state. */
  reached(state: PeerState["state"], peer?: string): Promise<void>;
  /** Resolves after further complete comparisons with all peers. */
  compared(times: number): Promise<void>;
  data(name: string): Promise<Readonly<Record<string, string>> | undefined>;
}

/** Creates a folder for a plane; the plane is started by the test. */
export async function planeProcess(): Promise<PlaneProcess> {
  const folder = await folderWith();
  let current:
    | { readonly running: FettleProcess; readonly client: Client; readonly transport: HttpTransport }
    | undefined;
  const started = (): NonNullable<typeof current> => {
    if (current === undefined) throw new Error("the plane is not running");
    return current;
  };
  const plane: PlaneProcess = {
    folder,
    kubeconfig: join(folder, ".fettle", "kubeconfig"),
    get client() {
      return started().client;
    },
    get running() {
      return started().running;
    },
    async configure(peers, settings = {}) {
      const text = stringify({ listen: { port: 0 }, sync_interval: "1s", ...settings, peers });
      await writeFile(join(folder, "fettle.yaml"), text);
    },
    async start() {
      const running = fettle(["up"], { cwd: folder });
      await running.says(/is up after/);
      const transport = httpTransport({ connection: await loadConnection({ kubeconfig: plane.kubeconfig }) });
      current = { running, transport, client: createClient({ transport }) };
      onTestFinished(() => transport[Symbol.asyncDispose]());
    },
    async stop(signal = "SIGTERM") {
      const { running } = started();
      running.process.kill(signal);
      return running.ended;
    },
    async peers() {
      const list = (await started().transport.document("/fettle/v1/peers")) as unknown as PeerList;
      return list.peers;
    },
    async reached(state, peer) {
      await until(async () => {
        const states = await plane.peers();
        return states.every((each) => (peer !== undefined && each.name !== peer) || each.state === state);
      });
    },
    async compared(times) {
      for (let left = times; left > 0; left--) {
        const before = await plane.peers();
        await until(async () => {
          const now = await plane.peers();
          return now.every(({ lastSync = 0 }, index) => lastSync > (before[index]?.lastSync ?? 0));
        });
      }
    },
    data: async (name) => (await started().client.find(ConfigMap, name))?.data,
  };
  return plane;
}

/** Setting for a peer that all objects in the namespace `default` are pulled from. */
export function peerSetting(name: string, { kubeconfig }: PlaneProcess, further: Settings = {}): Settings {
  return { name, kubeconfig, kinds: ["v1/ConfigMap"], namespaces: ["default"], ...further };
}
