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

/** What the tests of a suite are given, whichever home they run in. */
export interface AtHome {
  /** An API that nobody has used yet. */
  readonly startTestApi: (...options: Omitted<typeof startTestApi>) => Promise<TestApi>;
  /** The same with controllers at work on it. */
  readonly startTestPlane: (...options: Omitted<typeof startTestPlane>) => Promise<TestPlane>;
  /** Time that passes when the test says so, and waits for the server's answers. The server has its own. */
  readonly newClock: () => VirtualClock;
  /** Skips the test where nobody does this, with the reason. */
  readonly needs: (part: Part, context: Pick<TestContext, "skip">) => void;
}

type Omitted<F> = F extends (home: Home, ...rest: infer Rest) => unknown ? Rest : never;

/**
 * A suite that runs in every home: in the process of Fettle's API, over HTTP, and on a Kubernetes API server. A test is
 * written once, and does not learn where it runs; what only some homes do, it says that it `needs`.
 *
 * @example
 * describeHomes(({ startTestPlane }) => {
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
  // A test that ran out of time has not closed what it opened, and would go on at work in the next one.
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
