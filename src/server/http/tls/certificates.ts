import { createPrivateKey, webcrypto } from "node:crypto";
import { chmod, readFile } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import { systemClock, type Clock } from "../../../model/core.js";
import { createPrivateFolder, writePrivateFile } from "../auth/private-file.js";
import { canonicalAddress, isUsable, type KeyPair } from "./certificate.js";
import { loadX509 } from "./x509.js";

const day = 24 * 60 * 60 * 1000;
const caLifetime = 10 * 365 * day;
const serverLifetime = 365 * day;
/** Remaining validity below which a certificate is replaced. */
const renewBefore = 30 * day;

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const loopbackNames = ["localhost", "127.0.0.1", "::1"];

/** Certificate and key of a server, and the CA certificate for its clients. */
export interface ServerCertificates extends KeyPair {
  /** CA certificate in PEM, for kubeconfigs. */
  readonly ca: string;
}

export interface CertificateOptions {
  /** Names and addresses of the server besides loopback. */
  readonly names?: readonly string[] | undefined;
  readonly clock?: Clock | undefined;
}

/**
 * Returns the certificates in `tls/` of the data folder: a self-signed CA and a server certificate signed by it. Creates them if
 * they do not exist, are malformed, expire soon, or lack a name.
 */
export async function ensureCertificates(
  dataFolder: string,
  { names = [], clock = systemClock }: CertificateOptions = {},
): Promise<ServerCertificates> {
  const folder = join(dataFolder, "tls");
  await createPrivateFolder(folder);
  const until = clock.now() + renewBefore;

  let ca = await readPair(folder, "ca");
  if (ca === undefined || !isUsable(ca, ca.cert, { names: [], until })) {
    ca = await createCa(clock.now());
    await writePair(folder, "ca", ca);
  }
  const allNames = [...new Set([...loopbackNames, ...names].map(canonicalAddress))];
  let server = await readPair(folder, "server");
  if (server === undefined || !isUsable(server, ca.cert, { names: allNames, until })) {
    server = await createServerCertificate(ca, allNames, clock.now());
    await writePair(folder, "server", server);
  }
  return { ...server, ca: ca.cert };
}

async function createCa(now: number): Promise<KeyPair> {
  const x509 = await loadX509();
  const keys = await generateKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: "CN=fettle-ca",
    serialNumber: serialNumber(),
    notBefore: new Date(now - day),
    notAfter: new Date(now + caLifetime),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: pem(certificate.toString("pem")), key: await exportKey(keys.privateKey) };
}

async function createServerCertificate(ca: KeyPair, names: readonly string[], now: number): Promise<KeyPair> {
  const x509 = await loadX509();
  const keys = await generateKeys();
  const issuer = new x509.X509Certificate(ca.cert);
  const certificate = await x509.X509CertificateGenerator.create({
    subject: "CN=fettle",
    issuer: issuer.subject,
    serialNumber: serialNumber(),
    notBefore: new Date(now - day),
    notAfter: new Date(Math.min(now + serverLifetime, issuer.notAfter.getTime())),
    signingAlgorithm: algorithm,
    publicKey: keys.publicKey,
    signingKey: await importKey(ca.key),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? "dns" : "ip", value })),
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
  return { cert: pem(certificate.toString("pem")), key: await exportKey(keys.privateKey) };
}

function generateKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  const bytes = await webcrypto.subtle.exportKey("pkcs8", key);
  const exported = createPrivateKey({ key: Buffer.from(bytes), format: "der", type: "pkcs8" });
  return exported.export({ format: "pem", type: "pkcs8" }).toString();
}

function importKey(key: string): Promise<webcrypto.CryptoKey> {
  const bytes = createPrivateKey(key).export({ format: "der", type: "pkcs8" });
  return webcrypto.subtle.importKey("pkcs8", bytes, algorithm, false, ["sign"]);
}

/** Random serial number; must be positive and at most 20 bytes. */
function serialNumber(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return Buffer.from(bytes).toString("hex");
}

function pem(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}

async function readPair(folder: string, name: string): Promise<KeyPair | undefined> {
  try {
    const [cert, key] = await Promise.all([
      readFile(join(folder, `${name}.crt`), "utf8"),
      readFile(join(folder, `${name}.key`), "utf8"),
    ]);
    await chmod(join(folder, `${name}.key`), 0o600);
    return { cert, key };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Writes the key first: a crash in between leaves a mismatched pair, which is replaced at the next start. */
async function writePair(folder: string, name: string, { cert, key }: KeyPair): Promise<void> {
  await writePrivateFile(join(folder, `${name}.key`), key);
  await writePrivateFile(join(folder, `${name}.crt`), cert);
}
