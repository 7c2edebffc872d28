import { describe, expect, test } from "vitest";
import { widget } from "../server/widgets.js";
import { cells, useObjectsPlane, Widget } from "./objects-plane.js";

const plane = useObjectsPlane();
const { fettle, printed, start } = plane;

describe("watch", () => {
  test("prints the changes of each object as a diff", async () => {
    const { terminal, done } = start(["watch", "wd"]);
    await terminal.warns("Watching 3 widgets");
    await plane.client.patch(Widget, "red", { spec: { replicas: 9 } });
    await terminal.shows(/widget\.demo\.dev\/red changed[^]*- +replicas: 1\n.*\+ +replicas: 9/);
    await plane.client.delete(Widget, "red");
    await terminal.shows("widget.demo.dev/red deleted");
    await plane.apply(widget("new", "green"));
    await terminal.shows(/widget\.demo\.dev\/new created[^]*\+ +color: green/);
    terminal.interrupt();
    const { code, out } = await done;
    expect(code).toBe(130);
    expect(out).not.toMatch(/managedFields|resourceVersion/);
  });

  test("counts one object in the singular", async () => {
    const { terminal, done } = start(["watch", "wd", "--field-selector", "metadata.name=red"]);
    await terminal.warns("Watching 1 widget. Stop with Ctrl-C.");
    terminal.interrupt();
    await done;
  });

  test("prints changes of one object as JSON", async () => {
    const { terminal, done } = start(["watch", "wd", "red", "-o", "json"]);
    let replicas = 1;
    const patching = setInterval(() => {
      replicas++;
      void plane.client.patch(Widget, "red", { spec: { replicas } });
    }, 50);
    await terminal.shows('"MODIFIED"');
    clearInterval(patching);
    terminal.interrupt();
    const { type, object, changes } = JSON.parse((await done).out.split("\n")[0] ?? "");
    expect({ type, name: object.metadata.name }).toEqual({ type: "MODIFIED", name: "red" });
    const to = object.spec.replicas;
    expect(changes).toContainEqual({ kind: "change", path: ["spec", "replicas"], from: to - 1, to });
  });
});

describe("events", () => {
  const record = (name: string, about: string, type: string, at: number) =>
    plane.client.create("v1/Event", {
      metadata: { name },
      involvedObject: { apiVersion: "demo.dev/v1", kind: "Widget", name: about, namespace: "default" },
      type,
      reason: "Painted",
      source: { component: "painter" },
      message: `${about} was\npainted`,
      lastTimestamp: new Date(at).toISOString(),
    });

  test("lists events by time, of one object or one type, and follows new ones", async () => {
    await record("second", "red", "Warning", Date.now() - 60_000);
    await record("first", "blue", "Normal", Date.now() - 120_000);
    const rows = cells(await printed("events"));
    expect(rows[0]).toEqual(["LAST SEEN", "TYPE", "REASON", "OBJECT", "FROM", "MESSAGE"]);
    expect(rows.slice(1).map(([, type, , object, from, message]) => [type, object, from, message])).toEqual([
      ["Normal", "Widget/blue", "painter", "blue was painted"],
      ["Warning", "Widget/red", "painter", "red was painted"],
    ]);
    expect(await printed("events", "--types", "Warning", "-A", "--no-headers")).toMatch(
      /^default .*Widget\/red/,
    );
    expect(await printed("events", "--for", "wd/blue", "-o", "name")).toBe("event/first\n");
    expect(await printed("events", "wd/blue", "-o", "name")).toBe("event/first\n");
    expect(await printed("events", "widget", "blue", "-o", "name")).toBe("event/first\n");
    expect((await fettle("events", "--for", "wd/nobody")).err).toContain("No events of wd/nobody");
    const { terminal, done } = start(["events", "--for", "wd/red", "-w"]);
    await terminal.shows("red was painted");
    await record("third", "red", "Normal", Date.now());
    await terminal.shows(/Normal +Painted/);
    terminal.interrupt();
    expect(await done).toMatchObject({ code: 130, out: expect.not.stringContaining("blue") });
    await plane.client.deleteAll("v1/Event");
  });

  test("rejects invalid arguments", async () => {
    expect(await fettle("events", "--for", "wd")).toMatchObject({ code: 2 });
    expect(await fettle("events", "--types", "Odd")).toMatchObject({ code: 2 });
    expect(await fettle("events", "wd")).toMatchObject({ code: 2 });
    expect(await fettle("events", "wd", "red", "--for", "wd/red")).toMatchObject({ code: 2 });
  });
});

describe("wait", () => {
  const ready = (status: string, observedGeneration?: number) =>
    plane.client.patchStatus(Widget, "red", {
      status: {
        conditions: [
          { type: "Ready", status, reason: "Because", message: "of the paint", observedGeneration },
        ],
      },
    });

  test("waits for conditions", async () => {
    const waiting = fettle("wait", "wd/red", "--for", "condition=Ready");
    await ready("False");
    await ready("True");
    expect(await waiting).toMatchObject({ code: 0, out: "widget.demo.dev/red has Ready=True\n" });
    expect(await printed("wait", "wd/red", "--for", "condition=ready=true", "--timeout", "0")).toContain(
      "has",
    );
    const timedOut = await fettle("wait", "wd/red", "--for", "condition=Ready=False", "--timeout", "50ms");
    expect(timedOut.code).toBe(124);
    expect(timedOut.err).toContain("widget.demo.dev/red: Ready is True: Because, of the paint");
  });

  test("fails at once with the reason when the object is stalled", async () => {
    await plane.client.patchStatus(Widget, "red", {
      status: {
        conditions: [
          { type: "Ready", status: "False", reason: "NoPaint", message: "" },
          { type: "Stalled", status: "True", reason: "NoPaint", message: "none left" },
        ],
      },
    });
    // The other widgets are still waited for, and cannot change the result.
    expect(await fettle("wait", "wd", "--all", "--for", "condition=Ready")).toMatchObject({
      code: 1,
      err: "fettle: widget.demo.dev/red cannot become Ready=True: Stalled: NoPaint, none left\n",
    });
    expect((await fettle("wait", "wd/red", "--for", "condition=Stalled")).code).toBe(0);
    expect((await fettle("wait", "wd/red", "--for", "condition=Ready=False")).code).toBe(0);
  });

  test("waits for fields", async () => {
    expect(await printed("wait", "wd", "--all", "--for", "jsonpath={.spec.size}=medium")).toMatch(
      /blue[^]*red/,
    );
    const waiting = fettle("wait", "wd/red", "--for", "jsonpath={.spec.replicas}=3");
    await plane.client.patch(Widget, "red", { spec: { replicas: 3 } });
    expect((await waiting).code).toBe(0);
    const timedOut = await fettle("wait", "wd/red", "--for", "jsonpath={.status.replicas}", "--timeout", "0");
    expect(timedOut).toMatchObject({
      code: 124,
      err: expect.stringContaining("no field {.status.replicas}"),
    });
  });

  test("waits for creation and deletion", async () => {
    const coming = fettle("wait", "wd/soon", "--for", "create");
    await plane.apply(widget("soon", "red"));
    expect(await coming).toMatchObject({ code: 0, out: "widget.demo.dev/soon created\n" });
    const going = fettle("wait", "wd/soon", "--for", "delete");
    await plane.client.delete(Widget, "soon");
    expect((await going).code).toBe(0);
    expect(await printed("wait", "wd/soon", "--for", "delete")).toContain("soon deleted");
  });

  test("fails at once when the object is missing or gets deleted", async () => {
    expect(await fettle("wait", "wd/nope", "--for", "condition=Ready")).toMatchObject({ code: 1 });
    const { terminal, done } = start(["wait", "wd/red", "--for", "condition=Ready"], { tty: true });
    await terminal.warns("waiting for widget.demo.dev/red: no condition Ready");
    await plane.client.delete(Widget, "red");
    expect(await done).toMatchObject({
      code: 1,
      err: expect.stringContaining("cannot become Ready=True: deleted"),
    });
  });

  test.each([
    [["wait", "wd/red"], "--for"],
    [["wait", "wd/red", "--for", "tea"], "tea"],
    [["wait", "wd/red", "--for", "jsonpath={.a}b"], "=VALUE"],
    [["wait", "wd/red", "--for", "delete", "--timeout", "soon"], "soon"],
    [["wait", "wd", "--for", "condition=Ready"], "--all"],
  ])("rejects %j", async (words, text) => {
    const { code, err } = await fettle(...words);
    expect(code).toBe(2);
    expect(err).toContain(text);
  });
});
