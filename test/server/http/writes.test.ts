import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { everyTransport } from "./every-transport.js";
import { asYaml, configMap, configMaps, protobuf, widgets } from "./paths.js";

everyTransport("writes", (wire) => {
  const samples = readFileSync(
    new URL("../../../src/server/kinds/fixtures/protobuf.txt", import.meta.url),
    "utf8",
  );
  const encoded = (name: string): Buffer => {
    const [, bytes = ""] = new RegExp(`^${name}\n.*\n(.*)$`, "m").exec(samples) ?? [];
    return Buffer.from(bytes, "base64");
  };

  test.each<[string, string, object]>([
    ["configmap of kubectl", "/api/v1/namespaces/default/configmaps", { data: { key: "value" } }],
    ["secret", "/api/v1/namespaces/default/secrets", { type: "Opaque", data: { user: "bWU=" } }],
    ["serviceaccount", "/api/v1/namespaces/default/serviceaccounts", { automountServiceAccountToken: false }],
    ["event", "/api/v1/namespaces/default/events", { reason: "Started", count: 3 }],
    ["lease", "/apis/coordination.k8s.io/v1/namespaces/default/leases", { kind: "Lease" }],
    ["namespace of kubectl", "/api/v1/namespaces", { status: { phase: "Active" } }],
  ])("protobuf: %s", async (name, path, expected) => {
    const accept = `${protobuf},application/json`;
    const { code, json, headers } = await wire().post(path, encoded(name), {
      "content-type": protobuf,
      accept,
    });
    expect({ code, json }).toMatchObject({ code: 201, json: expected });
    expect(headers["content-type"]).toBe("application/json");
  });

  /** DeleteOptions with the uid of another object as a precondition, in protobuf. */
  const encodedOptions = (): Buffer => {
    const type = Buffer.from("\n\u0013\n\u0002v1\u0012\rDeleteOptions");
    return Buffer.concat([Buffer.from("k8s\0"), type, Buffer.from("\u0012\t\u0012\u0007\n\u0005wrong")]);
  };

  /** Ways to send a precondition that the object does not meet. */
  const preconditions: [string, string, () => Uint8Array | object | undefined, string?][] = [
    ["in the query", "?uid=wrong", () => undefined],
    ["in JSON", "", () => ({ preconditions: { uid: "wrong" } })],
    [
      "in YAML",
      "",
      () => Buffer.from("kind: DeleteOptions\napiVersion: v1\npreconditions: {uid: wrong}\n"),
      asYaml["content-type"],
    ],
    ["in protobuf", "", encodedOptions, protobuf],
    [
      "in the body, whatever the query says",
      "?propagationPolicy=Background",
      () => ({ preconditions: { uid: "wrong" } }),
    ],
  ];
  test.each(preconditions)("delete options %s", async (_, query, body, type = "application/json") => {
    await wire().post(configMaps, configMap("kept"));
    const headers = { "content-type": type };
    const { code, json } = await wire().call(`${configMaps}/kept${query}`, {
      method: "DELETE",
      body: body(),
      headers,
    });
    expect({ code, json }).toMatchObject({ code: 409, json: { reason: "Conflict", message: /UID/ } });
    expect((await wire().get(`${configMaps}/kept`)).code).toBe(200);
  });

  test("checks resourceVersion as a precondition, and waits for finalizers", async () => {
    const { metadata } = (
      await wire().post(configMaps, configMap("held", {}, { finalizers: ["demo.dev/hold"] }))
    ).json;
    const remove = (query: string) => wire().call(`${configMaps}/held?${query}`, { method: "DELETE" });
    expect((await remove("resourceVersion=1")).code).toBe(409);
    const deletion = await remove(`resourceVersion=${metadata.resourceVersion}&propagationPolicy=Foreground`);
    expect(deletion).toMatchObject({
      code: 200,
      json: {
        kind: "ConfigMap",
        metadata: {
          deletionTimestamp: expect.any(String),
          deletionGracePeriodSeconds: 0,
          finalizers: ["demo.dev/hold", "foregroundDeletion"],
        },
      },
    });
    expect((await remove("propagationPolicy=Sideways")).json).toMatchObject({ code: 422, reason: "Invalid" });
    await wire().call(`${configMaps}/held`, {
      method: "PATCH",
      body: { metadata: { finalizers: null } },
      headers: { "content-type": "application/merge-patch+json" },
    });
    expect((await wire().get(`${configMaps}/held`)).code).toBe(404);
  });

  test("writes nothing with dryRun=All, for any verb", async () => {
    await wire().post(configMaps, configMap("dry", { a: "1" }));
    const merge = { "content-type": "application/merge-patch+json" };
    const apply = { "content-type": "application/apply-patch+yaml" };
    const before = await wire().get(configMaps);
    const calls: [string, string, object | undefined, Record<string, string>?][] = [
      ["POST", `${configMaps}?dryRun=All`, configMap("dry-new")],
      ["PUT", `${configMaps}/dry?dryRun=All`, configMap("dry", { a: "2" })],
      ["PATCH", `${configMaps}/dry?dryRun=All`, { data: { a: "3" } }, merge],
      [
        "PATCH",
        `${configMaps}/dry?dryRun=All&fieldManager=me&force=true`,
        configMap("dry", { a: "4" }),
        apply,
      ],
      ["PATCH", `${configMaps}/dry-new?dryRun=All&fieldManager=me`, configMap("dry-new"), apply],
      ["DELETE", `${configMaps}/dry?dryRun=All`, undefined],
      ["DELETE", `${configMaps}/dry`, { dryRun: ["All"] }],
      ["DELETE", `${configMaps}?dryRun=All`, undefined],
    ];
    for (const [method, path, body, headers] of calls) {
      const { code, text } = await wire().call(path, { method, body, headers });
      expect([200, 201], `${method} ${path}: ${text}`).toContain(code);
    }
    const after = await wire().get(configMaps);
    expect(after.json).toEqual(before.json);
    const wrong = await wire().post(`${configMaps}?dryRun=Some`, configMap("dry-new"));
    expect(wrong.json).toMatchObject({ code: 422, reason: "Invalid", message: /dryRun/ });
  });

  test("warns about, rejects or ignores unknown and duplicate fields", async () => {
    const text = `{"apiVersion":"demo.dev/v1","kind":"Widget","metadata":{"generateName":"w-"},"spec":{"color":"red","color":"blue","shape":"ü"}}`;
    const send = (validation: string) => wire().post(`${widgets}${validation}`, text);
    const warned = await send("");
    expect(warned.code).toBe(201);
    expect(warned.headers.warning).toMatch(/^299 - "unknown field \\"spec\.shape\\""|299 - "duplicate field/);
    expect(warned.headers.warning).toMatch(/duplicate field \\"spec\.color\\"/);
    expect(warned.json.spec).toEqual({ color: "blue", size: "medium", replicas: 1 });
    const strict = await send("?fieldValidation=Strict");
    expect(strict.json).toMatchObject({
      code: 400,
      reason: "BadRequest",
      message: /strict decoding error: .*unknown field "spec\.shape"/,
    });
    const ignored = await send("?fieldValidation=Ignore");
    expect(ignored.code).toBe(201);
    expect(ignored.headers).not.toHaveProperty("warning");
    expect((await send("?fieldValidation=Perhaps")).code).toBe(422);
  });

  test("makes a created object visible to all clients at once", async () => {
    const names = Array.from({ length: 50 }, (_, index) => `many-${index}`);
    const answers = await Promise.all(names.map((name) => wire().post(configMaps, configMap(name))));
    expect(new Set(answers.map(({ code }) => code))).toEqual(new Set([201]));
    const versions = answers.map(({ json }) => json.metadata.resourceVersion);
    expect(new Set(versions).size).toBe(50);
    const found = await Promise.all(names.map((name) => wire().get(`${configMaps}/${name}`)));
    expect(found.map(({ json }) => json.metadata.resourceVersion)).toEqual(versions);
  });

  test("lets one of many concurrent creates of the same name succeed", async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => wire().post(configMaps, configMap("wanted"))),
    );
    expect(answers.filter(({ code }) => code === 201)).toHaveLength(1);
    expect(answers.filter(({ code }) => code === 409)).toHaveLength(19);
  });

  test("lets one of many concurrent updates of the same resourceVersion succeed", async () => {
    const { metadata } = (await wire().post(configMaps, configMap("contended"))).json;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        wire().call(`${configMaps}/contended`, {
          method: "PUT",
          body: configMap("contended", { a: String(index) }, { resourceVersion: metadata.resourceVersion }),
        }),
      ),
    );
    expect(answers.filter(({ code }) => code === 200)).toHaveLength(1);
    expect(answers.filter(({ code }) => code === 409)).toHaveLength(19);
  });
});
