import type { Duration } from "fettle";
import { ConfigMap, Secret } from "fettle/kubernetes";
import { renderRun } from "fettle/runtime";
import { testPlane, type TestPlane } from "fettle/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Certificate } from "../kinds/proxy.js";
import { certificates } from "./certificates.js";
import { examineSecret } from "./examine.js";

let plane: TestPlane;
beforeEach(async () => {
  plane = await testPlane({ controllers: [certificates()], kinds: [] });
});
afterEach(() => plane[Symbol.asyncDispose]());

type Input = Parameters<typeof plane.client.create<typeof Certificate>>[1];

async function create(name: string, spec: Input["spec"]): Promise<void> {
  await plane.client.create(Certificate, { metadata: { name }, spec });
  await plane.settled();
}

/** Keys are generated in another thread, which virtual time does not wait for. */
async function pass(time: Duration): Promise<void> {
  await plane.advance(time);
  await plane.settled();
}

async function shown(name: string): Promise<string> {
  const { status } = await plane.client.get(Certificate, name);
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return `${ready?.status} ${ready?.reason} ${status?.revision ?? 0}: ${ready?.message}`;
}

async function issued(name: string) {
  const { data, type, metadata } = await plane.client.get(Secret, name);
  return { type, metadata, data: data ?? {}, ...examineSecret(data) };
}

const web = { dnsNames: ["web.example"] };

test("a certificate is issued into a Secret that belongs to it, and kept", async () => {
  await create("web", { ...web, ipAddresses: ["0:0::1"] });
  const first = await issued("web");
  expect(first).toMatchObject({
    type: "kubernetes.io/tls",
    metadata: { ownerReferences: [{ kind: "Certificate", name: "web", controller: true }] },
    certificate: { dnsNames: ["web.example"], ipAddresses: ["::1"], isCA: false, isSelfSigned: true },
  });
  expect(first.data["ca.crt"]).toBe(first.data["tls.crt"]);
  const { status } = await plane.client.get(Certificate, "web");
  expect(status).toMatchObject({
    fingerprint: first.certificate.fingerprint,
    issuer: "CN=web.example",
    revision: 1,
  });
  expect(await shown("web")).toMatch(
    /^True Issued 1: Secret web has a certificate that is valid until 2026-/,
  );
  await plane.advance("50d");
  expect((await issued("web")).certificate.fingerprint).toBe(first.certificate.fingerprint);
});

test("it is renewed exactly when it is due", async () => {
  await create("web", { ...web, duration: "240h", renewBefore: "24h" });
  const before = await issued("web");
  const { status } = await plane.client.get(Certificate, "web");
  const wait = Date.parse(status?.renewalTime ?? "") - plane.clock.now();
  await plane.advance(wait - 1);
  expect((await issued("web")).certificate.fingerprint).toBe(before.certificate.fingerprint);
  await pass(1);
  const after = await issued("web");
  expect(after.certificate.fingerprint).not.toBe(before.certificate.fingerprint);
  expect(after.pem.key).not.toBe(before.pem.key);
  expect(await shown("web")).toMatch(/^True Renewed 2: /);
  for (let renewal = 3; renewal <= 5; renewal++) {
    await pass("9d");
    expect(await shown("web")).toMatch(new RegExp(`^True Renewed ${renewal}: `));
  }
});

test("a time of renewal before the beginning is replaced by two thirds of the validity", async () => {
  await create("web", { ...web, duration: "3h", renewBefore: "720h" });
  const first = (await issued("web")).certificate.fingerprint;
  const { status } = await plane.client.get(Certificate, "web");
  const wait = Date.parse(status?.renewalTime ?? "") - plane.clock.now();
  expect(wait).toBe(7_180_000);
  await pass(wait);
  expect((await issued("web")).certificate.fingerprint).not.toBe(first);
  expect(await shown("web")).toMatch(/^True Renewed 2/);
});

test("a CA signs, and its absence is waited for", async () => {
  await create("web", { ...web, issuer: { ca: { secretName: "root" } } });
  expect(await shown("web")).toBe("False IssuerNotFound 0: there is no Secret root");
  await create("root", { isCA: true, commonName: "Root", duration: "8760h" });
  await plane.settled();
  const [leaf, root] = [await issued("web"), await issued("root")];
  expect(leaf.certificate.isSignedBy(root.certificate)).toBe(true);
  expect(leaf.certificate.chain).toEqual([root.certificate.fingerprint]);
  expect(leaf.data["ca.crt"]).toBe(root.data["tls.crt"]);
  expect(root.certificate).toMatchObject({ isCA: true, commonName: "Root" });
});

test("another CA, other names and another issuer lead to another certificate", async () => {
  await create("root", { isCA: true, commonName: "Root" });
  await create("web", { ...web, issuer: { ca: { secretName: "root" } } });
  const first = await issued("web");
  await plane.client.delete(Secret, "root");
  await plane.settled();
  await plane.settled();
  const second = await issued("web");
  expect(second.certificate.isSignedBy((await issued("root")).certificate)).toBe(true);
  expect(second.certificate.fingerprint).not.toBe(first.certificate.fingerprint);
  await plane.client.patch(Certificate, "web", { spec: { dnsNames: ["web.example", "b.example"] } });
  await plane.settled();
  expect((await issued("web")).certificate.dnsNames).toEqual(["web.example", "b.example"]);
  await plane.client.patch(Certificate, "web", { spec: { issuer: { ca: null, selfSigned: {} } } });
  await plane.settled();
  expect((await issued("web")).certificate.isSelfSigned).toBe(true);
  const messages = (await plane.events()).map(({ message }) => message);
  expect(messages).toEqual(
    expect.arrayContaining([
      "a certificate was issued: the certificate of the CA has changed",
      "a certificate was issued: spec.dnsNames has changed",
      "a certificate was issued: spec.issuer has changed to selfSigned",
    ]),
  );
});

test("a CA that cannot sign is named, and a valid certificate stays", async () => {
  await create("root", { isCA: true, commonName: "Root" });
  await create("web", { ...web, issuer: { ca: { secretName: "root" } } });
  const { certificate } = await issued("web");
  await create("plain", { dnsNames: ["plain.example"] });
  await plane.client.patch(Certificate, "web", { spec: { issuer: { ca: { secretName: "plain" } } } });
  await plane.settled();
  expect(await shown("web")).toBe("False IssuerInvalid 1: Secret plain: its certificate is not that of a CA");
  expect((await issued("web")).certificate.fingerprint).toBe(certificate.fingerprint);
});

test("a certificate ends with its CA, and is not issued again and again before", async () => {
  await create("root", { isCA: true, commonName: "Root", duration: "720h", renewBefore: "1h" });
  const root = await plane.client.get(Secret, "root");
  const { data = {} } = root;
  await plane.client.delete(Certificate, "root");
  await plane.settled();
  await plane.client.create(Secret, { metadata: { name: "fixed" }, type: "kubernetes.io/tls", data });
  await create("web", { ...web, issuer: { ca: { secretName: "fixed" } } });
  const end = examineSecret(data).certificate.notAfter;
  expect((await issued("web")).certificate.notAfter).toBe(end);
  await plane.advance("25d");
  expect(await shown("web")).toMatch(/^True Issued 1: /);
  await plane.advance("6d");
  expect(await shown("web")).toMatch(
    /^False Expired 1: it was valid until .*cannot be renewed: Secret fixed/,
  );
});

test("a Secret that was edited is replaced, and an event says why", async () => {
  await create("web", web);
  const first = await issued("web");
  await create("other", { dnsNames: ["other.example"] });
  const other = await issued("other");
  await plane.client.patch(Secret, "web", { data: { "tls.key": other.data["tls.key"] ?? "" } });
  await plane.settled();
  const second = await issued("web");
  expect(second.certificate.fingerprint).not.toBe(first.certificate.fingerprint);
  expect(await plane.events()).toContainEqual(
    expect.objectContaining({
      type: "Warning",
      reason: "SecretDamaged",
      message:
        "a certificate was issued: the Secret was damaged: tls.key does not belong to the certificate in tls.crt",
    }),
  );
  await plane.client.patch(Secret, "web", { data: { "ca.crt": "aGVsbG8=", note: "aGVsbG8=" } });
  await plane.settled();
  const third = await issued("web");
  expect(third.certificate.fingerprint).toBe(second.certificate.fingerprint);
  expect(third.data["ca.crt"]).toBe(third.data["tls.crt"]);
  expect(third.data["note"]).toBe("aGVsbG8=");
  await plane.client.delete(Secret, "web");
  await plane.settled();
  expect(await shown("web")).toMatch(/^True Renewed 3: /);
});

test("a Secret of others is not touched", async () => {
  const data = { "tls.crt": "aGVsbG8=", "tls.key": "aGVsbG8=" };
  await plane.client.create(Secret, { metadata: { name: "web" }, type: "kubernetes.io/tls", data });
  await create("web", web);
  expect(await shown("web")).toBe(
    "False SecretTaken 0: Secret web exists and was not created for a Certificate: set another spec.secretName, or delete the Secret",
  );
  expect((await plane.client.get(Secret, "web")).data).toEqual(data);
  await plane.client.delete(Secret, "web");
  await plane.settled();
  expect(await shown("web")).toMatch(/^True Issued 1/);
  await create("second", { ...web, secretName: "web" });
  expect(await shown("second")).toMatch(
    /^False SecretTaken 0: Secret web exists and belongs to Certificate web/,
  );
});

test("another Secret replaces the first one", async () => {
  await create("web", web);
  await plane.client.patch(Certificate, "web", { spec: { secretName: "web-tls" } });
  await plane.settled();
  expect(await plane.client.find(Secret, "web")).toBeUndefined();
  expect((await issued("web-tls")).certificate.dnsNames).toEqual(["web.example"]);
});

test.each([
  [{ ipAddresses: ["10.0.0.256"] }, "spec.ipAddresses: 10.0.0.256 is not an IP address"],
  [{}, "spec.dnsNames and spec.ipAddresses are empty: clients would refuse the certificate"],
  [{ ...web, duration: "10s" as const }, "spec.duration: 10s is too short, use at least 1m"],
  [
    { ...web, issuer: { ca: { secretName: "web" } } },
    "spec.issuer.ca.secretName: web is the Secret of this certificate",
  ],
])("an invalid spec is refused: %j", async (spec, message) => {
  await create("web", spec);
  expect(await shown("web")).toBe(`False InvalidSpec 0: ${message}`);
});

test("the key is in the Secret and nowhere else, and a plan makes none", async () => {
  const manifest = {
    apiVersion: Certificate.apiVersion,
    kind: "Certificate",
    metadata: { name: "web" },
    spec: web,
  };
  const plan = await plane.controllers.get(Certificate).plan(manifest);
  expect(plan.steps).toMatchObject([{ name: "issue a certificate", outcome: "planned" }]);
  expect(JSON.stringify(plan)).not.toContain(Buffer.from("-----BEGIN").toString("base64"));
  expect(await plane.client.find(Secret, "web")).toBeUndefined();

  await create("web", web);
  const { data, pem } = await issued("web");
  const secrets = [data["tls.key"] ?? "", pem.key.split("\n")[1] ?? ""];
  const places = {
    runs: (await plane.runs(Certificate, "web")).map((run) => renderRun(run)),
    object: await plane.client.get(Certificate, "web"),
    events: await plane.events(),
    cloudEvents: await plane.eventsSoFar(),
    others: (await plane.client.list(ConfigMap)).items,
  };
  for (const secret of secrets) expect(JSON.stringify(places)).not.toContain(secret);
});
