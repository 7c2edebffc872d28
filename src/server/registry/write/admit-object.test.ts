import { describe, expect, test } from "vitest";
import { failures } from "../../../model/core.js";
import type { AdmissionPlugin } from "../../admission/admission.js";
import { failure, refusal } from "../fixtures/failure.js";
import { testApi, type TestApi, type TestResource } from "../fixtures/test-api.js";

/** An API with widgets, which have a size and a list of parts, and plugins that run for widgets only. */
async function widgetsWith(
  ...plugins: Omit<AdmissionPlugin, "name">[]
): Promise<{ test: TestApi; widgets: TestResource } & AsyncDisposable> {
  const api = await testApi({ admission: plugins.map(forWidgets) });
  const parts = { type: "array", items: { type: "string" } };
  const spec = { type: "object", properties: { size: { type: "integer", default: 1 }, parts } };
  const widgets = await api.define("Widget", { versions: [{ properties: { spec } }] });
  return { test: api, widgets, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() };
}

function forWidgets({ mutate, validate }: Omit<AdmissionPlugin, "name">, index: number): AdmissionPlugin {
  return {
    name: `plugin-${index}`,
    ...(mutate && { mutate: (request) => (request.type.kind === "Widget" ? mutate(request) : undefined) }),
    ...(validate && {
      validate: (request) => (request.type.kind === "Widget" ? validate(request) : undefined),
    }),
  };
}

/** Runs `work` the first time that it is called after {@link Once.arm}. */
class Once {
  #work: (() => Promise<unknown>) | undefined;

  arm(work: () => Promise<unknown>): void {
    this.#work = work;
  }

  async run(): Promise<void> {
    const work = this.#work;
    this.#work = undefined;
    await work?.();
  }
}

describe("mutating plugins", () => {
  const setPart: Omit<AdmissionPlugin, "name"> = {
    mutate({ object }) {
      object["spec"].parts = [...(object["spec"].parts ?? []), "added"];
    },
  };

  test("may change every part of the object in place, also parts that a patch or apply leaves alone", async () => {
    await using world = await widgetsWith(setPart);
    const { widgets } = world;
    await widgets.make("a", { spec: {} });
    await widgets.patch("a", "merge", { metadata: { labels: { x: "y" } } });
    await widgets.apply("a", "somebody", { metadata: { name: "a", labels: { z: "z" } } });
    expect((await widgets.get("a"))["spec"]).toEqual({ size: 1, parts: ["added", "added", "added"] });
  });

  test("start from the body of the request again when a conflict repeats an update", async () => {
    const between = new Once();
    const isMine = (name: string): boolean => name === "counted";
    const count: AdmissionPlugin = {
      name: "count",
      mutate({ key, object }) {
        if (isMine(key.name)) object["data"].count += "+1";
      },
      validate: ({ key }) => (isMine(key.name) ? between.run() : undefined),
    };
    await using world = await testApi({ admission: [count] });
    const configMaps = world.core("configmaps");
    await configMaps.make("counted", { data: { count: "0" } });
    between.arm(() => configMaps.patch("counted", "merge", { metadata: { labels: { x: "y" } } }));
    const updated = await configMaps.update({ metadata: { name: "counted" }, data: { count: "5" } });
    expect(updated["data"]).toEqual({ count: "5+1" });
  });

  test("see what earlier plugins changed, with defaults and without unknown fields", async () => {
    const seen: unknown[] = [];
    await using world = await widgetsWith(
      { mutate: ({ object }) => void (object["spec"] = { parts: ["x"], unknown: 1 }) },
      { mutate: ({ object }) => void seen.push({ ...object["spec"] }) },
    );
    const { spec } = await world.widgets.make("a", { spec: { size: 7 } });
    expect(seen).toEqual([{ size: 1, parts: ["x"] }]);
    expect(spec).toEqual({ size: 1, parts: ["x"] });
  });

  test.each<[string, NonNullable<AdmissionPlugin["mutate"]>, string]>([
    ["namespace", ({ object }) => void (object.metadata["namespace"] = "kube-system"), "namespace"],
    ["kind", ({ object }) => void (object.kind = "Gadget"), "must be Widget"],
    ["labels to a number", ({ object }) => void (object.metadata["labels"] = 5), "labels"],
    ["a value to one that JSON does not have", ({ object }) => void (object["spec"].size = NaN), "not JSON"],
  ])("fail the request, by name, when they change the %s", async (_, mutate, problem) => {
    await using world = await widgetsWith({ mutate });
    const { status } = await failure(world.widgets.make("a", { spec: {} }));
    expect(status.code).toBe(500);
    expect(status.message).toContain("admission plugin plugin-0 made the object invalid: ");
    expect(status.message).toContain(problem);
    expect(await world.widgets.in("kube-system").names()).toEqual([]);
  });
});

describe("validating plugins", () => {
  /** At most two parts: each of two writers may add one. */
  const atMostTwo: AdmissionPlugin["validate"] = ({ object }) => {
    const count = object?.["spec"]?.parts?.length ?? 0;
    if (count > 2) throw failures.badRequest(`${count} parts are too many`);
  };
  const addPart = (part: string) => [{ op: "add", path: "/spec/parts/-", value: part }];

  test("check the object that results when a conflict repeats a patch", async () => {
    const between = new Once();
    await using world = await widgetsWith({
      async validate(request) {
        await atMostTwo(request);
        await between.run();
      },
    });
    const { widgets } = world;
    await widgets.make("a", { spec: { parts: ["one"] } });
    between.arm(() => widgets.patch("a", "json", addPart("two")));
    const second = refusal(widgets.patch("a", "json", addPart("three")));
    expect(await second).toBe("400 BadRequest: 3 parts are too many");
    expect((await widgets.get("a"))["spec"]).toMatchObject({ parts: ["one", "two"] });
  });

  test("check the last state of an object again when a conflict repeats its deletion", async () => {
    const between = new Once();
    await using world = await widgetsWith({
      async validate({ operation, old }) {
        if (operation !== "delete") return;
        if (old?.metadata.labels?.["keep"]) throw failures.badRequest("kept");
        await between.run();
      },
    });
    const { widgets } = world;
    await widgets.make("a");
    between.arm(() => widgets.patch("a", "merge", { metadata: { labels: { keep: "yes" } } }));
    expect(await refusal(widgets.delete("a"))).toBe("400 BadRequest: kept");
  });

  test("see stamped metadata, defaults and changes of mutating plugins", async () => {
    const seen: unknown[] = [];
    await using world = await widgetsWith(
      { validate: ({ object }) => void seen.push(structuredClone(object)) },
      { mutate: ({ object }) => void (object.metadata["labels"] = { from: "plugin" }) },
    );
    const { metadata, spec } = await world.widgets.make("a", { spec: {} });
    const { resourceVersion: _, ...stored } = metadata;
    expect(seen).toMatchObject([{ metadata: { ...stored, labels: { from: "plugin" } }, spec }]);
  });
});
