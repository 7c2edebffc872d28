import { createPrivateKey, webcrypto, type KeyObject } from "node:crypto";
import { isIP } from "node:net";
import { loadX509 } from "./x509.js";

/** Content of a new certificate. */
export interface CertificateContent {
  readonly commonName: string | undefined;
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly isCA: boolean;
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/** Certificate and key in PEM. */
export interface KeyPair {
  /** Certificate, and those that have signed it. */
  readonly certificate: string;
  /** Private key in PKCS#8. */
  readonly key: string;
}

export interface IssuedCertificate extends KeyPair {
  /** Certificate by which clients verify the other one: that of the CA, or its own. */
  readonly ca: string;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/**
 * Creates a key and a certificate for it, signed by a CA or by itself.
 *
 * @throws {TypeError} for an issuer whose type of key is not supported.
 */
export async function issueCertificate(
  content: CertificateContent,
  issuer: KeyPair | undefined,
): Promise<IssuedCertificate> {
  const x509 = await loadX509();
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const ca = issuer === undefined ? undefined : new x509.X509Certificate(issuer.certificate);
  const signer = issuer === undefined ? undefined : await importKey(createPrivateKey(issuer.key));
  // As JSON, since a name as text would have to be escaped.
  const subject = content.commonName === undefined ? [] : [{ CN: [content.commonName] }];
  const certificate = await x509.X509CertificateGenerator.create(
    {
      subject,
      issuer: ca === undefined ? subject : ca.subjectName,
      serialNumber: serialNumber(),
      notBefore: new Date(content.notBefore),
      notAfter: new Date(content.notAfter),
      publicKey: keys.publicKey,
      signingKey: signer?.key ?? keys.privateKey,
      signingAlgorithm: signer?.algorithm ?? algorithm,
      extensions: [
        new x509.BasicConstraintsExtension(content.isCA, undefined, true),
        new x509.KeyUsagesExtension(usagesOf(x509.KeyUsageFlags, content.isCA), true),
        // A CA with such an extension could only sign certificates for these purposes.
        ...(content.isCA
          ? []
          : [
              new x509.ExtendedKeyUsageExtension([
                x509.ExtendedKeyUsage.serverAuth,
                x509.ExtendedKeyUsage.clientAuth,
              ]),
            ]),
        ...alternativeNames(x509, content),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
        await x509.AuthorityKeyIdentifierExtension.create(ca?.publicKey ?? keys.publicKey, false, webcrypto),
      ],
    },
    webcrypto,
  );
  const own = withNewline(certificate.toString("pem"));
  return {
    certificate: ca === undefined ? own : own + withNewline(issuer?.certificate ?? ""),
    key: await exportKey(keys.privateKey),
    ca: ca === undefined ? own : withNewline(issuer?.certificate ?? ""),
  };
}

type Library = Awaited<ReturnType<typeof loadX509>>;

function usagesOf(flags: Library["KeyUsageFlags"], isCA: boolean): number {
  return isCA ? flags.digitalSignature | flags.keyCertSign | flags.cRLSign : flags.digitalSignature;
}

function alternativeNames(x509: Library, content: CertificateContent) {
  const { commonName, dnsNames, ipAddresses } = content;
  const names = [
    ...dnsNames.map((value) => ({ type: "dns" as const, value })),
    ...ipAddresses.map((value) => ({ type: "ip" as const, value })),
  ];
  if (names.length === 0) return [];
  // Without a subject, the names are what identifies the certificate.
  return [new x509.SubjectAlternativeNameExtension(names, commonName === undefined)];
}

/** Random positive number of 127 bits. */
function serialNumber(): string {
  const bytes = webcrypto.getRandomValues(new Uint8Array(16));
  const [first = 0] = bytes;
  // The highest bit is the sign, and a leading zero would be redundant.
  bytes[0] = (first & 0x7f) === 0 ? 1 : first & 0x7f;
  return Buffer.from(bytes).toString("hex");
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  const bytes = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", key));
  return createPrivateKey({ key: bytes, format: "der", type: "pkcs8" })
    .export({ format: "pem", type: "pkcs8" })
    .toString();
}

const curves: Readonly<Record<string, { readonly namedCurve: string; readonly hash: string }>> = {
  prime256v1: { namedCurve: "P-256", hash: "SHA-256" },
  secp384r1: { namedCurve: "P-384", hash: "SHA-384" },
  secp521r1: { namedCurve: "P-521", hash: "SHA-512" },
};

/** Key of a CA, which others may have made with another algorithm. */
async function importKey(key: KeyObject): Promise<{ key: webcrypto.CryptoKey; algorithm: typeof algorithm }> {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  const curve = curves[details?.namedCurve ?? ""];
  const found =
    type === "rsa"
      ? { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }
      : type === "ec" && curve !== undefined
        ? { name: "ECDSA", ...curve }
        : type === "ed25519"
          ? { name: "Ed25519" }
          : undefined;
  if (found === undefined) throw new TypeError(unsupportedKey(key));
  const bytes = key.export({ format: "der", type: "pkcs8" });
  const imported = await webcrypto.subtle.importKey("pkcs8", bytes, found, false, ["sign"]);
  return { key: imported, algorithm: found as typeof algorithm };
}

/** Says that keys of this type cannot sign. */
function unsupportedKey({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  const type = asymmetricKeyDetails?.namedCurve ?? asymmetricKeyType ?? "unknown";
  return `a key of type ${type} cannot sign certificates: use RSA, ECDSA with P-256, P-384 or P-521, or Ed25519`;
}

/** Address as it is written in certificates: `::1`, not `0:0::1`. Undefined if it is none. */
export function canonicalAddress(address: string): string | undefined {
  const version = isIP(address);
  if (version === 0) return undefined;
  return version === 4 ? address : new URL(`http://[${address}]`).hostname.slice(1, -1);
}

function withNewline(pem: string): string {
  return pem.endsWith("\n") ? pem : `${pem}\n`;
}
