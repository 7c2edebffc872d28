/* oxlint-disable vitest/valid-describe-callback, vitest/valid-title, vitest/require-top-level-describe -- this file
   makes suites and is none */
import { afterEach, describe, type TestContext } from "vitest";
import type { VirtualClock } from "../../../src/model/index.js";
import { describeWith, kubernetes } from "../../components/index.js";
import { startTestApi, startTestPlane, type TestApi, type TestPlane } from "../test-plane.js";
import { httpHome, inProcessHome } from "./fettle.js";
import type { Home, Part } from "./home.js";
import { kubernetesHome } from "./kubernetes.js";
import { Traffic } from "./traffic.js";

/** Functions for the tests of a suite, the same in every home. */
export interface AtHome {
  /** Starts an API without objects. */
  readonly startTestApi: (...options: Omitted<typeof startTestApi>) => Promise<TestApi>;
  /** Starts an API with controllers. */
  readonly startTestPlane: (...options: Omitted<typeof startTestPlane>) => Promise<TestPlane>;
  /** Virtual clock that waits for pending requests. A server elsewhere has its own time. */
  readonly newClock: () => VirtualClock;
  /** Skips the test, with the reason, in a home that lacks this part. */
  readonly needs: (part: Part, context: Pick<TestContext, "skip">) => void;
}

type Omitted<F> = F extends (home: Home, ...rest: infer Rest) => unknown ? Rest : never;

/**
 * A suite that runs in every home: in the process of Fettle's API, over HTTP, and on a Kubernetes API server. A test is
 * written once, and does not depend on the home; parts that only some homes have are declared with `needs`.
 *
 * @example describeHomes(({ startTestPlane }) => {
 *   test("a site gets its pages", async () => {
 *     await using plane = await startTestPlane([Site, Page], { controllers: [sites] });
 *   });
 * });
 */
export function describeHomes(body: (home: AtHome) => void): void {
  for (const home of [inProcessHome, httpHome]) describe(home.name, () => body(at(home)));
  describeWith("on Kubernetes", kubernetes, (get) => body(at(kubernetesHome(get))));
}

function at(home: Home): AtHome {
  const open = new Set<AsyncDisposable>();
  // A test that timed out has not closed what it opened, which would go on during the next test.
  afterEach(async () => {
    for (const each of open) await each[Symbol.asyncDispose]();
    open.clear();
  });
  const remember = <T extends AsyncDisposable>(opened: T): T => {
    open.add(opened);
    const close = opened[Symbol.asyncDispose].bind(opened);
    return Object.assign(opened, {
      async [Symbol.asyncDispose]() {
        if (open.delete(opened)) await close();
      },
    });
  };
  const traffic = new Traffic();
  const counted: Home = {
    ...home,
    async open(...options) {
      const { transport, ...opened } = await home.open(...options);
      return { ...opened, transport: traffic.over(transport) };
    },
  };
  return {
    startTestApi: async (...options) => remember(await startTestApi(counted, ...options)),
    startTestPlane: async (...options) => remember(await startTestPlane(counted, ...options)),
    newClock: () => traffic.clock(),
    needs(part, { skip }) {
      const reason = home.lacks[part];
      skip(reason !== undefined, reason);
    },
  };
}
