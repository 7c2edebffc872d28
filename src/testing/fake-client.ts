import type { Client } from "../client/client.js";
import { createClient } from "../client/create-client.js";
import { systemClock, systemRandom, type Clock, type Random } from "../model/core.js";
import type { Resource } from "../model/resource/resource-types.js";
import { describeCall, hooked, type Call } from "./api/calls.js";
import { Interception, type Interceptors } from "./api/interceptors.js";
import { startMemoryApi } from "./api/memory-api.js";
import type { TestObject } from "./api/put-objects.js";

export interface FakeClientOptions {
  /** Custom kinds to serve, in addition to those of Kubernetes. */
  readonly kinds?: readonly Resource[] | undefined;
  /** Initial objects, with status, in any namespace. */
  readonly objects?: readonly TestObject[] | undefined;
  readonly interceptors?: Interceptors | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
}

/** Client for unit tests. */
export interface FakeClient extends Client {
  /** Adds interceptors between this client and the API; returns a function that removes them. */
  readonly intercept: (interceptors: Interceptors) => () => void;
  /** All requests including watches and failed ones, oldest first. */
  readonly calls: readonly Call[];
  /** Descriptions of the requests: `create Site default/hello`. */
  readonly log: () => readonly string[];
}

/**
 * Creates a client of a real API server in memory, with its conflicts, validation, defaults, finalizers, server-side apply
 * and garbage collection. No controller runs; to test controllers, use {@link testPlane}.
 *
 * @example
 * await using client = await fakeClient({ kinds: [Site], objects: [hello] });
 * client.intercept({ patch: () => { throw new Error("the network is down"); } });
 * await expect(publish(client, "hello")).rejects.toThrow("the network is down");
 */
export async function fakeClient(options: FakeClientOptions = {}): Promise<FakeClient> {
  const { kinds = [], objects, interceptors, clock = systemClock, random = systemRandom } = options;
  const memory = await startMemoryApi({ kinds, objects, clock, random });
  const interception = new Interception();
  if (interceptors !== undefined) interception.add(interceptors);
  const calls: Call[] = [];
  const recorded = hooked(interception.over(memory.transport), {
    call: (call, next) => {
      calls.push(call);
      return next();
    },
    watch: (call, next) => {
      calls.push(call);
      return next();
    },
    close: async () => memory[Symbol.asyncDispose](),
  });
  return Object.assign(createClient({ transport: recorded, clock, random }), {
    intercept: (more: Interceptors) => interception.add(more),
    calls,
    log: () => calls.map(describeCall),
  });
}
