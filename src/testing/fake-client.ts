import type { Client } from "../client/client.js";
import { createClient } from "../client/create-client.js";
import { systemClock, systemRandom, type Clock, type Random } from "../model/core.js";
import type { Resource } from "../model/resource/resource-types.js";
import { describeCall, hooked, type Call } from "./api/calls.js";
import { Interception, type Interceptors } from "./api/interceptors.js";
import { startMemoryApi } from "./api/memory-api.js";
import type { TestObject } from "./api/put-objects.js";

export interface FakeClientOptions {
  /** The kinds of your own that are served; Kubernetes' are there anyway. */
  readonly kinds?: readonly Resource[] | undefined;
  /** What is there to begin with, with status and in whatever namespace. */
  readonly objects?: readonly TestObject[] | undefined;
  readonly interceptors?: Interceptors | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
}

/** A client for unit tests. */
export interface FakeClient extends Client {
  /** Puts something between this client and the API; what is returned takes it away again. */
  readonly intercept: (interceptors: Interceptors) => () => void;
  /** Every request there has been, watches included, oldest first and whatever came of it. */
  readonly calls: readonly Call[];
  /** The same in words: `create Site default/hello`. */
  readonly log: () => readonly string[];
}

/**
 * A client whose API is the real one, in memory: conflicts, validation, defaults, finalizers, server-side apply and
 * garbage collection are those of the server, and not a mock's idea of them. No controller is at work; with one, use
 * {@link testPlane}.
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
