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

/** A server that serves these kinds, for now. */
function serving(...kinds: KindInfo[]): { served: KindInfo[]; asked: string[]; known: KindResolver } {
  const served = kinds;
  const asked: string[] = [];
  const discover: Transport["discover"] = async (apiVersion) => {
    asked.push(apiVersion);
    const found = served.filter((info) => info.apiVersion === apiVersion);
    if (found.length === 0) throw unserved;
    return found;
  };
  return { served, asked, known: new KindResolver({ discover } as Transport) };
}

describe("what is known of kinds", () => {
  test("asks once for what it does not know", async () => {
    const { known, asked } = serving(Widget, { ...Widget, kind: "Gadget", plural: "gadgets" });
    const found = await Promise.all([known.find("demo.dev/v1/Widget"), known.find("demo.dev/v1/Gadget")]);
    expect(found.map(({ plural }) => plural)).toEqual(["widgets", "gadgets"]);
    expect(await known.find({ apiVersion: "demo.dev/v1", kind: "Widget" })).toBe(Widget);
    expect(asked).toEqual(["demo.dev/v1"]);
  });

  test("asks nobody for Kubernetes' kinds, nor for what it was shown", async () => {
    const { known, asked } = serving();
    expect(await known.find("apps/v1/Deployment")).toMatchObject({ plural: "deployments" });
    expect(await known.find(Widget)).toBe(Widget);
    expect(await known.find("demo.dev/v1/Widget")).toBe(Widget);
    expect(asked).toEqual([]);
  });

  test("asks again for what was not there", async () => {
    const { known, asked, served } = serving();
    await expect(known.find("demo.dev/v1/Widget")).rejects.toThrow("that API version is not served");
    served.push({ ...Widget, kind: "Gadget" });
    await expect(known.find("demo.dev/v1/Widget")).rejects.toThrow(
      "the server has no Widget in demo.dev/v1, only Gadget",
    );
    served.push(Widget);
    expect(await known.find("demo.dev/v1/Widget")).toBe(Widget);
    expect(asked).toHaveLength(3);
  });

  test("an unknown kind is a 404", async () => {
    const error: unknown = await serving()
      .known.find("demo.dev/v1/Widget")
      .catch((thrown: unknown) => thrown);
    expect(isNotFound(error)).toBe(true);
  });

  test("one who gives up waits no longer, the others do", async () => {
    const { known } = serving(Widget);
    const signal = AbortSignal.abort(new Error("enough"));
    const [first, second] = await Promise.allSettled([
      known.find("demo.dev/v1/Widget", { signal }),
      known.find("demo.dev/v1/Widget"),
    ]);
    expect(first).toMatchObject({ status: "rejected", reason: { message: "enough" } });
    expect(second).toMatchObject({ status: "fulfilled" });
  });

  test("one whose time is up waits no longer, the others do", async () => {
    const clock = new VirtualClock();
    const timeouts: unknown[] = [];
    const discover: Transport["discover"] = (_apiVersion, options) => {
      timeouts.push(options?.timeout);
      return new Promise((resolve) => void clock.after(1000, () => resolve([Widget])));
    };
    const known = new KindResolver({ discover } as Transport, clock);
    const both = Promise.allSettled([
      known.find("demo.dev/v1/Widget", { timeout: 300 }),
      known.reconsider("demo.dev/v1/Widget", { ...Widget, plural: "x" }, unserved, { timeout: 400 }),
      known.find("demo.dev/v1/Widget", { timeout: 0 }),
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

  test("a kind that was redefined is found anew by those who name no more than it", async () => {
    const other = { ...Widget, plural: "wigets" };
    const { known, served } = serving(Widget);
    await known.find("demo.dev/v1/Widget");
    served.splice(0, 1, other);
    expect(await known.reconsider("demo.dev/v1/Widget", Widget, unserved)).toBe(other);
    expect(await known.find("demo.dev/v1/Widget")).toBe(other);
    const typo = kind("demo.dev/v1", "Widget", { plural: "widgetz", scope: "Cluster" });
    await expect(known.reconsider(typo, typo, unserved)).rejects.toThrow(
      "the server has Widget in demo.dev/v1 as wigets (Namespaced), not as widgetz (Cluster)",
    );
    await expect(known.reconsider(other, other, unserved)).rejects.toBe(unserved);
  });

  test.each(["ConfigMap", "/ConfigMap", "v1/"])("rejects %j, which is not a kind", async (name) => {
    await expect(serving().known.find(name as `${string}/${string}`)).rejects.toThrow(TypeError);
  });
});
