import type { Secret } from "fettle/kubernetes";
import type { ObjectOf } from "fettle";
import { perturb, TestClock } from "fettle/testing";
import { beforeAll, expect, test } from "vitest";
import { Certificate, type CertificateObject } from "../kinds/proxy.js";
import { certificates } from "./certificates.js";
import { examineSecret } from "./examine.js";
import { issueCertificate, type CertificateContent, type IssuedCertificate, type KeyPair } from "./issue.js";

const hour = 3_600_000;
/** Certificates that were issued before, since virtual time does not wait for the thread that makes keys. Several for each name. */
const made = new Map<string, readonly IssuedCertificate[]>();
const copies = 6;

beforeAll(async () => {
  const now = new TestClock().now();
  const content = (commonName: string, isCA: boolean): CertificateContent => ({
    commonName,
    dnsNames: isCA ? [] : [commonName],
    ipAddresses: [],
    isCA,
    notBefore: now - 60_000,
    notAfter: now + 2160 * hour,
  });
  const make = (of: CertificateContent, ca?: KeyPair) =>
    Promise.all(Array.from({ length: copies }, () => issueCertificate(of, ca)));
  const roots = await make(content("Root", true));
  made.set("Root", roots);
  for (const root of roots) {
    for (const name of ["a.example", "b.example"]) {
      made.set(`${name} ${root.certificate}`, await make(content(name, false), root));
    }
  }
});

class Issuing {
  readonly #count = new Map<string, number>();

  async issue({ commonName = "" }: CertificateContent, ca?: KeyPair): Promise<IssuedCertificate> {
    const key = ca === undefined ? commonName : `${commonName} ${ca.certificate}`;
    const count = this.#count.get(key) ?? 0;
    this.#count.set(key, count + 1);
    const issued = made.get(key)?.[count];
    if (issued === undefined)
      throw new Error(`certificate ${count + 1} for ${commonName} is more than expected`);
    return issued;
  }
}

/** Keys differ, and what depends on them: the rest is compared. */
function normalize(object: object): object {
  const { kind } = object as { readonly kind: string };
  if (kind === "Secret") {
    const secret = object as ObjectOf<typeof Secret>;
    const { dnsNames, isSelfSigned } = examineSecret(secret.data).certificate;
    return { ...secret, data: { dnsNames, isSelfSigned, fields: Object.keys(secret.data ?? {}) } };
  }
  if (kind !== "Certificate") return object;
  const { status, ...rest } = object as CertificateObject;
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return { ...rest, status: { revision: status?.revision, issuer: status?.issuer, ready: ready?.reason } };
}

/** Schedules of faults; all of them with FETTLE_PERTURB=1000. */
const limit = Number(process.env["FETTLE_PERTURB"] ?? 40);

test("no single fault replaces a key in use", { timeout: 60_000 + limit * 2000 }, async () => {
  const report = await perturb(
    {
      controllers: (issuing: Issuing) => [
        certificates({ issue: (content, ca) => issuing.issue(content, ca) }),
      ],
      world: { create: () => new Issuing(), snapshot: () => ({}) },
      normalize: (object) => normalize(object) as never,
      async workload({ client, settled, until }) {
        await client.create(Certificate, {
          metadata: { name: "root" },
          spec: { isCA: true, commonName: "Root" },
        });
        await settled();
        await client.create(Certificate, {
          metadata: { name: "web" },
          spec: { dnsNames: ["a.example"], issuer: { ca: { secretName: "root" } } },
        });
        await until(Certificate, "web", (web) => web?.status?.revision === 1);
        await client.patch(Certificate, "web", { spec: { dnsNames: ["b.example"] } });
        await settled();
      },
    },
    { limit },
  );
  expect(report.failures.length, report.text()).toBe(0);
});
