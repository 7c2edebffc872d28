import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { recordingTerminal } from "../../src/cli/fixtures/terminal.js";
import { controlPlane, type ControlPlane } from "../../src/plane/control-plane.js";
import type { RunList } from "../../src/plane/management/contract.js";
import { MemoryStore } from "../../src/store/index.js";
import { Note, Site, siteManifest, startSitePlane, type SitePlane } from "./site-plane.js";

let world: SitePlane;
let plane: ControlPlane;
const fettle: SitePlane["fettle"] = (...line) => world.fettle(...line);
const follow: SitePlane["follow"] = (...line) => world.follow(...line);
const site: SitePlane["site"] = (name, spec) => world.site(name, spec);

beforeAll(async () => {
  world = await startSitePlane();
  ({ plane } = world);
});

afterAll(() => world[Symbol.asyncDispose]());

describe("tree", () => {
  test("prints an object and what it owns, with their conditions", async () => {
    await site("tree", { title: "Tree", pages: 2 });
    const { out, code } = await fettle("tree site/tree");
    expect(code).toBe(0);
    expect(out).toMatch(/Site\/tree +True +Published +\d+s/);
    expect(out).toMatch(/├─ Page\/tree-1 +- /);
    expect(out).toMatch(/└─ Page\/tree-2 +- /);
    const value = JSON.parse((await fettle("tree site tree", { output: "json" })).out);
    expect(value).toMatchObject({
      kind: "Site",
      ready: "True",
      children: [{ name: "tree-1" }, { name: "tree-2" }],
    });
  });

  test("follows changes and redraws in place", async () => {
    await site("growing", { title: "Growing", pages: 1 });
    const live = follow("tree site/growing", { watch: true }, recordingTerminal({ tty: true }));
    await live.shows("Page/growing-1");
    await site("growing", { title: "Growing", pages: 2 });
    await live.shows("Page/growing-2");
    const { out, code } = await live.stop();
    expect(code).toBe(0);
    expect(out).toContain("\u001B[3A");
  });

  test("reports invalid arguments and missing objects", async () => {
    expect((await fettle("tree site/nope", { namespace: "else" })).err).toContain(
      '"nope" not found in namespace else; choose another namespace with -n, or list all with: fettle get sites -A',
    );
    expect((await fettle("tree sitee/nope")).err).toContain("did you mean site");
    expect(await fettle("tree site")).toMatchObject({ code: 2 });
  });
});

describe("why", () => {
  test("prints triggers, steps, writes and outcome of runs", async () => {
    await site("asked", { title: "Asked" });
    await site("asked", { title: "Asked again" });
    const { out } = await fettle("why site/asked");
    expect(out).toContain("Site default/asked");
    expect(out).toContain("it was created");
    expect(out).toContain("it was changed");
    expect(out).toContain("✓ publish");
    expect(out).toContain("Page default/asked-1");
    expect(out).toContain('~ spec.html: "<h1>Asked 1</h1>" → "<h1>Asked again 1</h1>"');
    expect(out).toMatch(
      /because.*\n +timing.*\n +steps.*\n +wrote [^]*\n +outcome.*again in 12h: check the certificate\n +run /,
    );
    const { runs } = JSON.parse((await fettle("why site/asked", { output: "json", limit: "1" })).out);
    expect(runs).toHaveLength(1);
    const all = JSON.parse((await fettle("why site/asked", { output: "json" })).out) as RunList;
    const write = all.runs.flatMap(({ writes }) => writes).findLast(({ kind }) => kind === "Page");
    expect(write).toMatchObject({ isNew: false, changes: [{ path: ["spec", "html"] }] });
    expect(write).not.toHaveProperty("before");
  });

  test("follows new runs with -w", async () => {
    await site("watched", { title: "Watched" });
    const live = follow("why site/watched", { watch: true, limit: "1" });
    await live.shows("Site default/watched");
    plane.controllers.enqueue(Site, "watched", { reason: "somebody is curious" });
    await live.shows("somebody is curious");
    expect((await live.stop()).code).toBe(0);
  });

  test("prints the runs that wrote an object without a controller", async () => {
    await site("writes", { title: "Writes" });
    const { out, err } = await fettle("why page/writes-1");
    expect(err).toContain("No controller reconciles Page; these runs wrote Page default/writes-1");
    expect(out).toContain("Site default/writes");
  });

  test("reports invalid arguments and missing objects", async () => {
    expect((await fettle("why site/nope")).err).toContain(
      "Site default/nope not found, and no run of it is recorded; choose another namespace with -n",
    );
    expect((await fettle("why nope/nope")).err).toContain('unknown kind "nope"');
    expect(await fettle("why site/a/b")).toMatchObject({ code: 2 });
    expect(await fettle("why site/a", { limit: "many" })).toMatchObject({ code: 2 });
    expect(await fettle("why site/a", { output: "xml" })).toMatchObject({ code: 2 });
  });
});

describe("plan and diff", () => {
  test("plan a new object with its children and steps", async () => {
    const file = await world.manifest("new.yaml", siteManifest("planned", { title: "Planned", pages: 2 }));
    const { out, code } = await fettle("plan", { filename: [file] });
    expect(code).toBe(0);
    expect(out).toContain("+ site.demo.dev/planned would be created");
    expect(out).toContain("+ page.demo.dev/planned-2 would be created");
    expect(out).toContain("<h1>Planned 2</h1>");
    expect(out).toContain("step publish would run");
    expect(out).toContain("done, next run in 12h");
    expect(out).toContain("3 to create, 0 to change, 0 to delete; 1 step to run");
    expect(await plane.client.find(Site, "planned")).toBeUndefined();
    expect((await fettle("plan", { filename: [file], exitCode: true })).code).toBe(2);
    const difference = await fettle("diff", { filename: [file] });
    expect(difference.code).toBe(2);
    expect(difference.out).toContain("+   title: Planned");
    expect(difference.out).not.toContain("Page");
  });

  test("plan a change that deletes one child", async () => {
    await site("less", { title: "Less", pages: 2 });
    const file = await world.manifest("less.yaml", siteManifest("less", { title: "Less", pages: 1 }));
    const { out } = await fettle("plan", { filename: [file] });
    expect(out).toContain("~ site.demo.dev/less would be changed");
    expect(out).toContain("- page.demo.dev/less-2 would be deleted");
    expect(out).not.toContain("less-1");
    const { plans } = JSON.parse((await fettle("plan", { filename: [file], output: "json" })).out);
    expect(plans[0].object).toMatchObject({
      action: "update",
      changes: [{ path: ["spec", "pages"], from: 2, to: 1 }],
    });
  });

  test("plan the removal of a field that the manifest no longer has", async () => {
    await site("fewer", { title: "Fewer", pages: 3 });
    const file = await world.manifest("fewer.yaml", siteManifest("fewer", { title: "Fewer" }));
    const { out } = await fettle("plan", { filename: [file] });
    expect(out).toContain("page.demo.dev/fewer-3 would be deleted");
  });

  test("report an unchanged object", async () => {
    await site("same", { title: "Same" });
    const file = await world.manifest("same.yaml", siteManifest("same", { title: "Same" }));
    const { out, code } = await fettle("plan", { filename: [file], exitCode: true });
    expect(out).toContain("site.demo.dev/same unchanged");
    expect(out).toContain("0 to create, 0 to change, 0 to delete; 0 steps to run");
    expect(code).toBe(0);
    expect(await fettle("diff", { filename: [file] })).toEqual({ code: 0, out: "", err: "" });
  });

  test("plan manifests that depend on each other", async () => {
    const file = await world.manifest(
      "several.yaml",
      {
        apiVersion: "demo.dev/v1",
        kind: "Site",
        metadata: { name: "there", namespace: "new" },
        spec: { title: "There" },
      },
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "new" } },
      { apiVersion: "demo.dev/v1", kind: "Note", metadata: { name: "plain" }, spec: {} },
    );
    const { out, code } = await fettle("plan", { filename: [file] });
    expect(out).toContain("namespace/new would be created");
    expect(out).toContain("site.demo.dev/new/there would be created");
    expect(out).toContain("there-1 would be created");
    expect(out).toContain("cannot be planned: plans need the steps and children of a declarative controller");
    expect(out).not.toContain("rejected");
    expect(code).toBe(0);
    expect((await fettle("diff", { filename: [file] })).out).toContain("title: There");
  });

  test("hides the data of Secrets", async () => {
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "key" },
      stringData: { key: "open-sesame" },
    };
    const file = await world.manifest("secret.yaml", secret);
    for (const verb of ["plan", "diff"]) {
      const { out } = await fettle(verb, { filename: [file] });
      expect(out).toContain("[hidden]");
      expect(out).not.toContain("open-sesame");
      expect(out).not.toContain(Buffer.from("open-sesame").toString("base64"));
    }
  });

  test("reports invalid arguments and missing objects", async () => {
    const wrong = await world.manifest("wrong.yaml", siteManifest("wrong", { title: 3 }));
    const plan = await fettle("plan", { filename: [wrong] });
    expect(plan.code).toBe(1);
    expect(plan.out).toMatch(/wrong\.yaml:1:\d+: spec\.title: /);
    expect(await fettle("diff", { filename: [wrong] })).toMatchObject({
      code: 1,
      err: expect.stringContaining("spec.title"),
    });
    const failing = await world.manifest("failing.yaml", siteManifest("failing", { title: "" }));
    expect(await fettle("plan", { filename: [failing] })).toMatchObject({
      code: 1,
      out: expect.stringContaining("would fail permanently: NoTitle: a site needs a title"),
    });
    const unknown = await world.manifest("unknown.yaml", { ...siteManifest("x", {}), kind: "Sight" });
    expect((await fettle("plan", { filename: [unknown] })).out).toContain("no Sight in demo.dev/v1");
    expect((await fettle("plan", { filename: ["nowhere.yaml"] })).err).toContain("no such file");
    // 2 means that something would change.
    expect((await fettle("plan", { filename: [wrong], exitCode: true })).code).toBe(1);
    for (const verb of ["plan", "diff"]) {
      expect(await fettle(verb)).toMatchObject({ code: 1 });
      expect(await fettle(verb, { nonsense: true })).toMatchObject({ code: 1 });
      expect((await fettle(verb, { filename: ["nowhere.yaml"] })).code).toBe(1);
    }
  });
});

describe("history and rollback", () => {
  test("history names the user of each write, whom the API does not show", async () => {
    await site("signed", { title: "Signed" });
    await fettle("annotate site signed seen=yes");
    const { versions } = JSON.parse((await fettle("history site/signed", { output: "json" })).out);
    expect(versions.at(-2)).toMatchObject({
      type: "status",
      user: "system:fettle:controller:sites.demo.dev",
    });
    expect(versions.at(-1)).toMatchObject({ user: "fettle-admin", managers: ["fettle-annotate"] });
    expect(JSON.stringify(versions.at(-1).object)).not.toContain("fettle.dev/user");
    const seen = await fettle("get site signed", { output: "json", showManagedFields: true });
    expect(seen.out).not.toContain("fettle.dev/user");
  });

  test("lists versions and restores an earlier spec as a new generation", async () => {
    await site("old", { title: "First", pages: 1 });
    await site("old", { title: "Second", pages: 2 });
    const { out } = await fettle("history site/old", { diff: true });
    expect(out).toMatch(/\d+ +created +1 /);
    expect(out).toMatch(/^REVISION +TYPE +GENERATION +AGE +USER +FIELD MANAGER +CHANGED\n/);
    expect(out).toMatch(/\d+ +updated +2 +\d+s +\S+ +fettle +spec\.(title|pages), spec\.(title|pages)/);
    expect(out).toMatch(
      / status +1 +\d+s +system:fettle:controller:sites\.demo\.dev +fettle\/sites\.demo\.dev /,
    );
    expect(out).toMatch(/\d+ +status +2 /);
    expect(out).toContain("~ spec.title: First → Second");

    const rehearsal = await fettle("rollback site/old", { to: "-1", dryRun: true });
    expect(rehearsal.out).toContain("-   title: Second");
    expect(rehearsal.out).toContain("(dry run)");
    expect((await plane.client.get(Site, "old")).spec.title).toBe("Second");

    const back = await fettle("rollback site/old", { to: "-1" });
    expect(back.out).toContain("as generation 3");
    await world.ran("old");
    expect(await plane.client.get(Site, "old")).toMatchObject({
      spec: { title: "First", pages: 1 },
      status: { published: 1 },
      metadata: { generation: 3 },
    });
    const { versions } = JSON.parse((await fettle("history site/old", { output: "json" })).out);
    const second = versions.find(
      ({ object }: { object: { spec: { title: string } } }) => object.spec.title === "Second",
    );
    await fettle("rollback site/old", { to: String(second.revision) });
    expect((await plane.client.get(Site, "old")).spec.title).toBe("Second");
    expect((await fettle("rollback site/old", { to: String(second.revision) })).out).toContain(
      "nothing changed",
    );
  });

  test("recreates a deleted object", async () => {
    await site("lost", { title: "Lost", pages: 0 });
    await plane.client.delete(Site, "lost");
    expect((await fettle("history site/lost")).out).toMatch(/\d+ +deleted/);
    expect((await fettle("rollback site/lost")).out).toContain("as generation 1");
    expect((await plane.client.get(Site, "lost")).spec.title).toBe("Lost");
  });

  test("hides the data of Secrets but restores it", async () => {
    const secret = (value: string): object => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "rolled" },
      data: { key: Buffer.from(value).toString("base64") },
    });
    await plane.apply(secret("before"));
    await plane.apply(secret("after"));
    for (const output of [undefined, "json"]) {
      const { out } = await fettle("history secret/rolled", { diff: true, output });
      expect(out).toContain("[hidden]");
      expect(out).not.toContain(Buffer.from("after").toString("base64"));
    }
    const { out } = await fettle("rollback secret/rolled");
    expect(out).not.toContain(Buffer.from("before").toString("base64"));
    expect(await plane.client.get("v1/Secret", "rolled")).toMatchObject({
      data: { key: Buffer.from("before").toString("base64") },
    });
  });

  test("reports invalid arguments and missing objects", async () => {
    await site("once", { title: "Once" });
    expect((await fettle("history site/never")).err).toContain("no Site named never in namespace default");
    expect((await fettle("rollback site/once")).err).toContain("has no earlier spec in its history");
    expect((await fettle("rollback site/once", { to: "999999" })).err).toContain("has no revision 999999");
    expect(await fettle("rollback site/once", { to: "yesterday" })).toMatchObject({ code: 2 });
    await site("once", { title: "Twice" });
    expect((await fettle("rollback site/once", { to: "-3" })).err).toContain(
      "--to -3 goes too far back: site.demo.dev/once has 1 earlier spec in its history",
    );
  });
});

describe("a compacted store", () => {
  test("refuses to roll back to a compacted revision", async () => {
    await using store = new MemoryStore();
    const folder = await mkdtemp(join(tmpdir(), "fettle-compacted-"));
    await using small = await controlPlane({ kinds: [Note], store, data: folder, listen: { port: 0 } });
    const options = { kubeconfig: small.kubeconfig };
    const note = (text: string) =>
      small.apply({ apiVersion: "demo.dev/v1", kind: "Note", metadata: { name: "n" }, spec: { text } });
    await note("one");
    const first = Number((await small.client.get(Note, "n")).metadata.resourceVersion);
    await note("two");
    await note("three");
    await store.compact((await store.status()).revision);
    const { err } = await fettle("rollback note/n", { ...options, to: String(first) });
    expect(err).toContain(`revision ${first} is no longer kept`);
    expect((await fettle("history note/n", options)).out).toContain("updated");
    expect((await fettle("rollback note/n", options)).err).toContain("history, which starts at revision");
    await rm(folder, { recursive: true });
  });
});
