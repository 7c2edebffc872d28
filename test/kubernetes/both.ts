import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Agent } from "undici";
import type { Kubernetes } from "../components/index.js";
import { startTestServer, type TestServer } from "../server/test-server.js";
import { among } from "./shared-items.js";
import { serviceRanges, type Comparable } from "./comparable.js";
import { differencesBetween, type Difference } from "./difference.js";
import { definingKinds } from "./kinds.js";
import { Side, type Access } from "./side.js";
import { parseStep, type Step } from "./step.js";

/** Responses of both servers to one step, and their differences. */
export interface Outcome {
  readonly step: Step;
  readonly answers: readonly [ours: Comparable, theirs: Comparable];
  readonly differences: readonly Difference[];
}

const authority = "kube-root-ca.crt";

/** Compacts the history of etcd. */
async function compact(url: string): Promise<void> {
  const ask = async (path: string, body: object): Promise<{ header?: { revision?: string } }> => {
    const response = await fetch(`${url}/v3/kv/${path}`, { method: "POST", body: JSON.stringify(body) });
    return (await response.json()) as { header?: { revision?: string } };
  };
  const { header } = await ask("range", { key: btoa("/registry") });
  await ask("compaction", { revision: header?.revision });
}

/** Fettle and Kubernetes with the same users. */
export class Both implements AsyncDisposable {
  readonly #fettle: TestServer;
  readonly #cluster: Kubernetes;
  readonly #ours: Access;
  readonly #theirs: Access;
  #namespaces = 0;

  private constructor(fettle: TestServer, cluster: Kubernetes) {
    const { tokens } = cluster;
    const ca = readFileSync(join(fettle.data, "tls", "ca.crt"), "utf8");
    this.#fettle = fettle;
    this.#cluster = cluster;
    this.#ours = { url: fettle.url, tokens, agent: new Agent({ connect: { ca } }) };
    this.#theirs = { url: cluster.url, tokens, agent: new Agent({ connect: { ca: cluster.ca } }) };
  }

  static async start(cluster: Kubernetes): Promise<Both> {
    const fettle = await startTestServer({
      tokenFile: join(cluster.folder, "tokens.csv"),
      services: serviceRanges,
      publish: true,
    });
    const both = new Both(fettle, cluster);
    const outcomes = await both.run(definingKinds());
    const failed = outcomes.find(({ answers }) => answers.some(({ code }) => code >= 300));
    if (failed === undefined) {
      await both.#forget();
      return both;
    }
    await both[Symbol.asyncDispose]();
    throw new Error(`${failed.step.method} ${failed.step.path}: ${JSON.stringify(failed.answers)}`);
  }

  /** Paths of the administrators' kubeconfigs, ours first. */
  get kubeconfigs(): readonly [ours: string, theirs: string] {
    return [this.#fettle.kubeconfig, this.#cluster.kubeconfig];
  }

  /** Internal errors of our server. */
  get errors(): readonly unknown[] {
    return this.#fettle.errors;
  }

  /** Sends the steps to both servers; each step waits for both responses to the one before. */
  async run(steps: readonly Step[]): Promise<readonly Outcome[]> {
    const [ours, theirs] = await this.sides();
    const outcomes: Outcome[] = [];
    for (const step of steps) {
      if (step.method === "FORGET") {
        await this.#forget();
        continue;
      }
      const answers = await Promise.all([ours.run(step), theirs.run(step)]);
      const [our, their] = answers;
      const matched =
        step.among === undefined ? their : { ...their, body: among(our.body, their.body, step.among) };
      outcomes.push({ step, answers, differences: differencesBetween(our, matched) });
    }
    return outcomes;
  }

  /** Both servers, each with the same new namespace. */
  async sides(): Promise<readonly [ours: Side, theirs: Side]> {
    const namespace = `n${++this.#namespaces}`;
    const create = parseStep(`POST namespaces {"metadata":{"name":"${namespace}"}}`);
    const sides = [new Side(this.#ours, namespace), new Side(this.#theirs, namespace)] as const;
    await Promise.all(sides.map((side) => side.run(create)));
    await this.#publishAuthority(...sides);
    return sides;
  }

  /**
   * Creates the ConfigMap with the certificate authority, which in a cluster the kube-controller-manager writes into every namespace,
   * and which is part of our server.
   */
  async #publishAuthority(ours: Side, theirs: Side): Promise<void> {
    const { body } = await ours.run(parseStep(`WAIT configmaps/${authority}`));
    const { metadata, data } = body as { metadata: { annotations: object }; data: object };
    const object = JSON.stringify({ metadata: { name: authority, annotations: metadata.annotations }, data });
    await theirs.run(parseStep(`POST configmaps?fieldManager=kube-apiserver-publisher ${object}`));
  }

  /** Compacts the history of both servers. */
  async #forget(): Promise<void> {
    const { store } = this.#fettle;
    await store.compact((await store.status()).revision);
    await compact(this.#cluster.etcd.url);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#ours, this.#theirs].map(({ agent }) => agent.destroy()));
    await this.#fettle.close();
  }
}
