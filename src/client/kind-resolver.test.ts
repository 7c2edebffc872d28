import { describe, expect, test } from "vitest";
import { failures, isNotFound, VirtualClock } from "../model/core.js";
import type { Transport } from "./transport/transport.js";
import { kind, type KindInfo } from "./kinds/kind.js";
import { KindResolver } from "./kind-resolver.js";

const Widget: KindInfo = {
  apiVersion: "demo.dev/v1",
  kind: "Widget",
  plural: "widgets",
  scope: "Namespaced",
};
const unserved = failures.notFound({ group: "", resource: "" }, "");

/** Transport whose discovery serves these kinds; `served` can be replaced. */
function serving(...kinds: KindInfo[]): { served: KindInfo[]; requests: string[]; resolver: KindResolver } {
  const served = kinds;
  const requests: string[] = [];
  const discover: Transport["discover"] = async (apiVersion) => {
    requests.push(apiVersion);
    const found = served.filter((info) => info.apiVersion === apiVersion);
    if (found.length === 0) throw unserved;
    return found;
  };
  return { served, requests, resolver: new KindResolver({ discover } as Transport) };
}

describe("kind resolver", () => {
  test("requests an unknown kind once", async () => {
    const { resolver, requests } = serving(Widget, { ...Widget, kind: "Gadget", plural: "gadgets" });
    const found = await Promise.all([
      resolver.find("demo.dev/v1/Widget"),
      resolver.find("demo.dev/v1/Gadget"),
    ]);
    expect(found.map(({ plural }) => plural)).toEqual(["widgets", "gadgets"]);
    expect(await resolver.find({ apiVersion: "demo.dev/v1", kind: "Widget" })).toBe(Widget);
    expect(requests).toEqual(["demo.dev/v1"]);
  });

  test("needs no request for Kubernetes' kinds and kinds given in full", async () => {
    const { resolver, requests } = serving();
    expect(await resolver.find("apps/v1/Deployment")).toMatchObject({ plural: "deployments" });
    expect(await resolver.find(Widget)).toBe(Widget);
    expect(await resolver.find("demo.dev/v1/Widget")).toBe(Widget);
    expect(requests).toEqual([]);
  });

  test("requests a missing kind again", async () => {
    const { resolver, requests, served } = serving();
    await expect(resolver.find("demo.dev/v1/Widget")).rejects.toThrow("that API version is not served");
    served.push({ ...Widget, kind: "Gadget" });
    await expect(resolver.find("demo.dev/v1/Widget")).rejects.toThrow(
      "the server has no Widget in demo.dev/v1, only Gadget",
    );
    served.push(Widget);
    expect(await resolver.find("demo.dev/v1/Widget")).toBe(Widget);
    expect(requests).toHaveLength(3);
  });

  test("rejects an unknown kind with a 404", async () => {
    const error: unknown = await serving()
      .resolver.find("demo.dev/v1/Widget")
      .catch((thrown: unknown) => thrown);
    expect(isNotFound(error)).toBe(true);
  });

  test("one caller can abort while the others wait", async () => {
    const { resolver } = serving(Widget);
    const signal = AbortSignal.abort(new Error("enough"));
    const [first, second] = await Promise.allSettled([
      resolver.find("demo.dev/v1/Widget", { signal }),
      resolver.find("demo.dev/v1/Widget"),
    ]);
    expect(first).toMatchObject({ status: "rejected", reason: { message: "enough" } });
    expect(second).toMatchObject({ status: "fulfilled" });
  });

  test("one caller can time out while the others wait", async () => {
    const clock = new VirtualClock();
    const timeouts: unknown[] = [];
    const discover: Transport["discover"] = (_apiVersion, options) => {
      timeouts.push(options?.timeout);
      return new Promise((resolve) => void clock.after(1000, () => resolve([Widget])));
    };
    const resolver = new KindResolver({ discover } as Transport, clock);
    const both = Promise.allSettled([
      resolver.find("demo.dev/v1/Widget", { timeout: 300 }),
      resolver.reconsider("demo.dev/v1/Widget", { ...Widget, plural: "x" }, unserved, { timeout: 400 }),
      resolver.find("demo.dev/v1/Widget", { timeout: 0 }),
    ]);
    await clock.advance(1000);
    const doing = "waiting for the discovery of demo.dev/v1";
    expect(await both).toMatchObject([
      { reason: { code: 504, message: `Timeout: gave up after 300ms of ${doing}` } },
      { reason: { code: 504, message: `Timeout: gave up after 400ms of ${doing}` } },
      { value: Widget },
    ]);
    expect(timeouts).toEqual([undefined]);
    expect(clock.timers).toBe(0);
  });

  test("finds the new plural of a redefined kind that is given by name", async () => {
    const other = { ...Widget, plural: "wigets" };
    const { resolver, served } = serving(Widget);
    await resolver.find("demo.dev/v1/Widget");
    served.splice(0, 1, other);
    expect(await resolver.reconsider("demo.dev/v1/Widget", Widget, unserved)).toBe(other);
    expect(await resolver.find("demo.dev/v1/Widget")).toBe(other);
    const typo = kind("demo.dev/v1", "Widget", { plural: "widgetz", scope: "Cluster" });
    await expect(resolver.reconsider(typo, typo, unserved)).rejects.toThrow(
      "the server has Widget in demo.dev/v1 as wigets (Namespaced), not as widgetz (Cluster)",
    );
    await expect(resolver.reconsider(other, other, unserved)).rejects.toBe(unserved);
  });

  test.each(["ConfigMap", "/ConfigMap", "v1/"])("rejects %j, which is not a kind", async (name) => {
    await expect(serving().resolver.find(name as `${string}/${string}`)).rejects.toThrow(TypeError);
  });
});
