import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import type { ObjectOf } from "fettle";
import type { Secret } from "fettle/kubernetes";
import { beforeAll, describe, expect, test } from "vitest";
import { issueCertificate, type KeyPair } from "../../certificates/issue.js";
import { gateway, gatewayGroup, grant, httpsListener, input, route } from "../fixtures.js";
import { weakCertificate } from "../../test/fixtures/weak-certificate.js";
import { translate } from "../translate.js";
import type { Translation, TranslationInput } from "../translation.js";

type SecretObject = ObjectOf<typeof Secret>;

const now = Date.UTC(2026, 5, 1);
const day = 86_400_000;
let good: KeyPair;
let other: KeyPair;

const issue = (notBefore: number, notAfter: number): Promise<KeyPair> =>
  issueCertificate(
    { commonName: "a.com", dnsNames: ["a.com"], ipAddresses: [], isCA: false, notBefore, notAfter },
    undefined,
  );

beforeAll(async () => {
  good = await issue(now - day, now + day);
  other = await issue(now - day, now + day);
});

function secret(data: Readonly<Record<string, string>>, fields: Partial<SecretObject> = {}): SecretObject {
  const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "tls", namespace: "default" },
    type: "kubernetes.io/tls",
    data: Object.fromEntries(encoded) as Record<string, string>,
    ...fields,
  };
}

const pair = ({ certificate, key }: KeyPair, fields?: Partial<SecretObject>): SecretObject =>
  secret({ "tls.crt": certificate, "tls.key": key }, fields);

function run(secrets: readonly SecretObject[], fields: Partial<TranslationInput> = {}): Translation {
  const gateways = [gateway({ listeners: [httpsListener("tls")] })];
  return translate(input({ gateways, secrets, now, ...fields }));
}

function resolvedRefs({ gateways }: Translation): string {
  const found = gateways[0]?.listeners[0]?.conditions.find(({ type }) => type === "ResolvedRefs");
  return `${found?.status}/${found?.reason}: ${found?.message}`;
}

/** RSA key of 16,384 bits. Its numbers are not prime, as finding such primes takes minutes. */
function longRsaKey(): string {
  const base64url = (number: bigint): string => {
    const digits = number.toString(16);
    return Buffer.from(digits.padStart(digits.length + (digits.length % 2), "0"), "hex").toString(
      "base64url",
    );
  };
  const prime = 2n ** 8192n - 1n;
  const [n, factor, small] = [prime * (prime - 2n), prime - 2n, 3n].map(base64url);
  const numbers = { n, e: "AQAB", d: n, p: base64url(prime), q: factor, dp: factor, dq: factor, qi: small };
  const key = createPrivateKey({ format: "jwk", key: { kty: "RSA", ...numbers } });
  return String(key.export({ type: "pkcs8", format: "pem" }));
}

test("a certificate and its key are written anew, with expiry and fingerprint", () => {
  const result = run([pair({ certificate: `# a comment; }\n${good.certificate}`, key: good.key })], {
    routes: [route({ hostnames: ["a.com"] })],
  });
  expect(resolvedRefs(result)).toMatch(/^True\/ResolvedRefs/);
  const files = { name: "default_tls", certificate: good.certificate, key: good.key };
  expect(result.configuration.ports).toMatchObject([
    {
      port: 443,
      protocol: "HTTPS",
      servers: [
        { hostname: "a.com", certificates: [files] },
        { hostname: undefined, certificates: [files] },
      ],
    },
  ]);
  expect(result.certificates).toMatchObject([{ namespace: "default", secret: "tls", expires: now + day }]);
  expect(result.certificates[0]?.fingerprint).toMatch(/^[0-9A-F:]{95}$/);
});

test("a key may follow the parameters of its curve, as openssl writes it", () => {
  const parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";
  const key = String(createPrivateKey(good.key).export({ type: "sec1", format: "pem" }));
  const result = run([pair({ ...good, key: parameters + key })]);
  expect(resolvedRefs(result)).toMatch(/^True/);
  expect(result.configuration.ports[0]?.servers[0]?.certificates[0]?.key).toBe(good.key);
});

describe("a listener is not served", () => {
  test.each<[string, () => readonly SecretObject[], RegExp]>([
    ["without the Secret", () => [], /there is no Secret tls of type kubernetes.io.tls in namespace default/],
    ["with a Secret of another type", () => [pair(good, { type: "Opaque" })], /has type Opaque/],
    ["without a certificate", () => [secret({ "tls.key": good.key })], /has no tls\.crt/],
    ["without a key", () => [secret({ "tls.crt": good.certificate })], /has no tls\.key/],
    [
      "with text for a certificate",
      () => [secret({ "tls.crt": "hello", "tls.key": good.key })],
      /no PEM certificate/,
    ],
    [
      "with a malformed certificate in the chain",
      () => [
        pair({ ...good, certificate: `${good.certificate}${good.certificate.replace(/MII../, "AAAAAA")}` }),
      ],
      /malformed certificate in tls\.crt, number 2/,
    ],
    ["with text for a key", () => [pair({ ...good, key: "hello" })], /no usable PEM key/],
    ["with the key of another certificate", () => [pair({ ...good, key: other.key })], /does not belong to/],
    [
      "with a key of another type than the certificate's",
      () => {
        const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
        return [pair({ ...good, key: String(privateKey.export({ type: "pkcs8", format: "pem" })) })];
      },
      /does not belong to/,
    ],
    [
      "with a key that OpenSSL refuses",
      () => {
        const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
        return [pair({ ...good, key: String(privateKey.export({ type: "pkcs8", format: "pem" })) })];
      },
      /RSA key of 1024 bits/,
    ],
    [
      "with a key that makes handshakes slow",
      () => [pair({ ...good, key: longRsaKey() })],
      /RSA key of 16384 bits, which is too slow/,
    ],
    [
      "with a chain without end",
      () => [pair({ ...good, certificate: good.certificate.repeat(11) })],
      /11 certificates in tls\.crt: at most 10/,
    ],
    [
      "with a curve that OpenSSL refuses",
      () => [pair(weakCertificate())],
      /OpenSSL does not accept: .*key too small/,
    ],
    [
      "with a key that needs a passphrase",
      () => {
        const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
        const key = privateKey.export({
          type: "pkcs8",
          format: "pem",
          cipher: "aes-256-cbc",
          passphrase: "x",
        });
        return [pair({ ...good, key: String(key) })];
      },
      /without a passphrase/,
    ],
  ])("%s", (_, secrets, message) => {
    const result = run(secrets());
    expect(resolvedRefs(result)).toMatch(/^False\/InvalidCertificateRef/);
    expect(resolvedRefs(result)).toMatch(message);
    expect(result.configuration.ports).toEqual([]);
    expect(result.certificates).toEqual([]);
    const programmed = result.gateways[0]?.listeners[0]?.conditions.find(({ type }) => type === "Programmed");
    expect(programmed?.status).toBe("False");
  });

  test.each([
    ["references", { mode: "Terminate" as const }, "False/InvalidCertificateRef"],
    [
      "a reference to a Secret",
      { mode: "Terminate" as const, certificateRefs: [{ group: "", kind: "ConfigMap", name: "tls" }] },
      "False/InvalidCertificateRef",
    ],
    [
      "a reference to the core group",
      { mode: "Terminate" as const, certificateRefs: [{ group: "x.io", kind: "Secret", name: "tls" }] },
      "False/InvalidCertificateRef",
    ],
  ])("without %s", (_, tls, reason) => {
    const gateways = [gateway({ listeners: [httpsListener("tls", { tls })] })];
    expect(resolvedRefs(run([pair(good)], { gateways }))).toMatch(new RegExp(`^${reason}`));
  });
});

describe("a Secret of another namespace", () => {
  const certificateRefs = [{ group: "", kind: "Secret", name: "tls", namespace: "certs" }];
  const gateways = [
    gateway({ listeners: [httpsListener("", { tls: { mode: "Terminate", certificateRefs } })] }),
  ];
  const from = { group: gatewayGroup, kind: "Gateway", namespace: "default" };
  const to = { group: "", kind: "Secret" };
  const secrets = (): SecretObject[] => [pair(good, { metadata: { name: "tls", namespace: "certs" } })];

  test.each([
    ["no grant", [], false],
    ["a grant for all Secrets", [grant("certs", { from: [from], to: [to] })], true],
    ["a grant for this Secret", [grant("certs", { from: [from], to: [{ ...to, name: "tls" }] })], true],
    ["a grant for another Secret", [grant("certs", { from: [from], to: [{ ...to, name: "x" }] })], false],
    [
      "a grant for another namespace",
      [grant("certs", { from: [{ ...from, namespace: "x" }], to: [to] })],
      false,
    ],
    ["a grant for routes", [grant("certs", { from: [{ ...from, kind: "HTTPRoute" }], to: [to] })], false],
    ["a grant in the namespace of the gateway", [grant("default", { from: [from], to: [to] })], false],
  ])("%s", (_, grants, isPermitted) => {
    const result = run(secrets(), { gateways, grants });
    expect(resolvedRefs(result)).toMatch(
      isPermitted ? /^True\/ResolvedRefs/ : /^False\/RefNotPermitted.*ReferenceGrant in certs/,
    );
    expect(result.configuration.ports).toHaveLength(isPermitted ? 1 : 0);
  });
});

describe("times of validity", () => {
  test("an expired certificate is served, and reported", async () => {
    const result = run([pair(await issue(now - 2 * day, now - day))]);
    expect(resolvedRefs(result)).toMatch(
      /^True\/CertificateExpired: .*expired at 2026-05-31.*still served: renew it/,
    );
    expect(result.configuration.ports).toHaveLength(1);
    expect(result.certificates[0]?.expires).toBe(now - day);
  });

  test("so is one that is not valid yet", async () => {
    const result = run([pair(await issue(now + day, now + 2 * day))]);
    expect(resolvedRefs(result)).toMatch(/^True\/CertificateNotYetValid/);
    expect(result.configuration.ports).toHaveLength(1);
  });
});

test("a listener is served with the certificates that can be used", () => {
  const certificateRefs = ["missing", "tls"].map((name) => ({ group: "", kind: "Secret", name }));
  const gateways = [
    gateway({ listeners: [httpsListener("", { tls: { mode: "Terminate", certificateRefs } })] }),
  ];
  const result = run([pair(good)], { gateways });
  expect(resolvedRefs(result)).toMatch(/^False\/InvalidCertificateRef: there is no Secret missing/);
  expect(result.configuration.ports[0]?.servers[0]?.certificates).toHaveLength(1);
});
