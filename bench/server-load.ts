import { RawConnection, bestRequestRate, openSocket, requestBytes, requestRate } from "./raw-http.js";
import { duration, median, type Contender } from "./report.js";
import type { Target } from "./server-target.js";
import { collection, definition, nameOf, widget } from "./server-widgets.js";

/** Size of the load. */
export interface Size {
  readonly objects: number;
  /** Duration of each measurement; milliseconds. */
  readonly period: number;
  readonly clients: number;
  readonly watchers: number;
}

/** Busy processors, of this process and of the server, as an average: 1.5 is one and a half. */
export interface Busy {
  readonly client: number;
  readonly server: number;
}

/** Load generator, the same for every server: sends prepared bytes from this process. */
export class Load {
  readonly #target: Target;
  readonly #size: Size;
  readonly #headers: Readonly<Record<string, string>>;
  /** Connections: one for the measurements with a single client, and one per client for the others. */
  #one: RawConnection[] = [];
  #many: RawConnection[] = [];
  #next = 0;
  readonly #busy = new Map<string, Busy[]>();

  constructor(target: Target, size: Size) {
    this.#target = target;
    this.#size = size;
    this.#headers = { Authorization: `Bearer ${target.token}`, "Content-Type": "application/json" };
  }

  /** Defines the kind and creates the initial objects. */
  async fill(): Promise<void> {
    const connections = await this.#open(this.#size.clients);
    const [first] = connections;
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    await first?.send(requestBytes("POST", path, this.#headers, JSON.stringify(definition)));
    for (const each of connections) each.close();
    await this.served();
    await this.#connect();
    const rest = async (connection: RawConnection): Promise<void> => {
      while (this.#next < this.#size.objects) await connection.send(this.#create());
    };
    await Promise.all(this.#many.map(rest));
  }

  async #connect(): Promise<void> {
    for (const each of [...this.#one, ...this.#many]) each.close();
    this.#one = await this.#open(1);
    this.#many = await this.#open(this.#size.clients);
  }

  /** Resolves when the kind is served; kube-apiserver serves it some time after its definition, and after a start. */
  async served(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const connection = await RawConnection.open(this.#target.endpoint);
      try {
        await connection.send(requestBytes("GET", `${collection}?limit=1`, this.#headers));
        return;
      } catch (error) {
        if (attempt === 100) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      } finally {
        connection.close();
      }
    }
  }

  /** Busy processors during a measurement. */
  busy(name: string): Busy {
    const all = this.#busy.get(name) ?? [];
    return {
      client: median(all.map(({ client }) => client)),
      server: median(all.map(({ server }) => server)),
    };
  }

  contenders(): Contender[] {
    return this.#all().map((contender) => {
      const { name, unit } = contender;
      return { name, unit, measure: () => this.#observed(contender) };
    });
  }

  async #observed(contender: Contender): Promise<number> {
    // Servers close connections that were idle during other measurements.
    await this.#connect();
    const clientBefore = process.cpuUsage();
    const serverBefore = await this.#target.usage();
    const begin = performance.now();
    const result = await contender.measure();
    const microseconds = (performance.now() - begin) * 1000;
    const { user, system } = process.cpuUsage(clientBefore);
    const server = (await this.#target.usage()).processorTime - serverBefore.processorTime;
    const busy = { client: (user + system) / microseconds, server: server / microseconds };
    this.#busy.set(contender.name, [...(this.#busy.get(contender.name) ?? []), busy]);
    return result;
  }

  #all(): Contender[] {
    const { objects, period, watchers } = this.#size;
    const get = (): string => requestBytes("GET", `${collection}/${this.#any()}`, this.#headers);
    const create = (): string => this.#create();
    const list = requestBytes("GET", `${collection}?limit=${objects}`, this.#headers);
    return [
      ...this.#rates("get", (connections) => bestRequestRate(connections, period, get)),
      ...this.#rates("durable create", (connections) => requestRate(connections, period, create)),
      ...this.#rates("durable status patch", (connections) =>
        requestRate(connections, period, () => this.#patch()),
      ),
      { name: "processor time of a get", unit: "µs", measure: () => this.#processorTime(get, true) },
      { name: "processor time of a create", unit: "µs", measure: () => this.#processorTime(create, false) },
      {
        name: `list of ${objects.toLocaleString("en-US")}`,
        unit: "ms",
        measure: () => duration(() => this.#first.send(list)),
      },
      { name: "from create to the watcher", unit: "ms", measure: () => this.#watchLatency() },
      { name: `events to ${watchers} watchers`, unit: "/s", measure: () => this.#fanOut() },
    ];
  }

  #rates(name: string, measure: (connections: readonly RawConnection[]) => Promise<number>): Contender[] {
    return [
      { name: `${name}, 1 connection`, unit: "/s", measure: () => measure(this.#one) },
      { name: `${name}, ${this.#size.clients} connections`, unit: "/s", measure: () => measure(this.#many) },
    ];
  }

  #any(): string {
    return nameOf(Math.floor(Math.random() * this.#size.objects));
  }

  #create(): string {
    return requestBytes("POST", collection, this.#headers, widget(nameOf(this.#next++)));
  }

  #patch(): string {
    const headers = { ...this.#headers, "Content-Type": "application/merge-patch+json" };
    const body = `{"status":{"seen":${this.#next++}}}`;
    return requestBytes("PATCH", `${collection}/${this.#any()}/status`, headers, body);
  }

  get #first(): RawConnection {
    const [connection] = this.#one;
    if (connection === undefined) throw new Error("not connected");
    return connection;
  }

  async #open(count: number): Promise<RawConnection[]> {
    return Promise.all(Array.from({ length: count }, () => RawConnection.open(this.#target.endpoint)));
  }

  /** Processor time of the server per request; microseconds. */
  async #processorTime(request: () => string, busyWait: boolean): Promise<number> {
    const before = await this.#target.usage();
    const begin = performance.now();
    const rate = await requestRate(this.#many, this.#size.period, request, { busyWait });
    const requests = (rate * (performance.now() - begin)) / 1000;
    return ((await this.#target.usage()).processorTime - before.processorTime) / requests;
  }

  /** Opens a watch and counts its events without parsing them. */
  async #watch(from: string, onEvents: (count: number) => void): Promise<() => void> {
    const socket = await openSocket(this.#target.endpoint);
    socket.write(requestBytes("GET", `${collection}?watch=true&resourceVersion=${from}`, this.#headers));
    const mark = Buffer.from('{"type":"');
    await new Promise<void>((resolve) => {
      socket.once("data", () => resolve());
    });
    socket.on("data", (chunk) => {
      let count = 0;
      for (let at = chunk.indexOf(mark); at >= 0; at = chunk.indexOf(mark, at + mark.length)) count++;
      onEvents(count);
    });
    return () => socket.destroy();
  }

  async #newest(): Promise<string> {
    const answer = await this.#first.send(requestBytes("GET", `${collection}?limit=1`, this.#headers));
    // Those of the list and of an object in it, whose order differs between servers.
    const versions = answer.toString().matchAll(/"resourceVersion":"(\d+)"/g);
    return String(Math.max(...Array.from(versions, ([, version]) => Number(version))));
  }

  async #watchLatency(): Promise<number> {
    let arrived: (() => void) | undefined;
    const stop = await this.#watch(await this.#newest(), () => arrived?.());
    const times: number[] = [];
    for (let time = 0; time < 50; time++) {
      const event = new Promise<void>((resolve) => (arrived = resolve));
      const begin = performance.now();
      const created = this.#first.send(this.#create());
      await event;
      times.push(performance.now() - begin);
      await created;
    }
    stop();
    return median(times);
  }

  /** Events per second over all watchers, while objects are created as fast as possible. */
  async #fanOut(): Promise<number> {
    let received = 0;
    const from = await this.#newest();
    const stops = await Promise.all(
      Array.from({ length: this.#size.watchers }, () => this.#watch(from, (count) => (received += count))),
    );
    const begin = performance.now();
    await requestRate(this.#many, this.#size.period, () => this.#create());
    const result = (received * 1000) / (performance.now() - begin);
    for (const stop of stops) stop();
    return result;
  }
}
