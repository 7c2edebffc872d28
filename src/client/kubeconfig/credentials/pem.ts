import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { ClientCertificate } from "../../transport/connection.js";
import type { FileOrData } from "../kubeconfig.js";
import { KubeconfigError, reasonOf } from "../kubeconfig-error.js";

/**
 * Content of a field given as a file or inline. `where` is the position of the entry, `field` its name without `-data`.
 */
export async function contentOf(
  source: FileOrData,
  where: string,
  field: string,
): Promise<Buffer | undefined> {
  if (source.file !== undefined && source.data !== undefined) {
    throw new KubeconfigError(`${where}: ${field} and ${field}-data are both set; remove one of them`);
  }
  if (source.file === undefined) return source.data;
  try {
    return await readFile(source.file);
  } catch (error) {
    throw new KubeconfigError(`${where}: ${field} ${source.file} cannot be read: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

/** Throws if there is no valid certificate, which would otherwise show only in a failed handshake. */
export function checkAuthority(pem: Buffer, what: string): Buffer {
  parseCertificate(pem, what);
  return pem;
}

/** Throws for an invalid certificate, an invalid key, or a key that does not match. */
export function checkPair(pair: ClientCertificate, what: string): ClientCertificate {
  const certificate = parseCertificate(pair.cert, what);
  let matches: boolean;
  try {
    matches = certificate.checkPrivateKey(createPrivateKey(pair.key));
  } catch (error) {
    throw new KubeconfigError(`${what}: the key cannot be read: it must be an unencrypted key in PEM`, {
      cause: error,
    });
  }
  if (!matches) throw new KubeconfigError(`${what}: the key does not match the certificate`);
  return pair;
}

/** Expiry of a certificate in milliseconds since 1970. */
export function endOf(pem: string | Buffer): number {
  return Date.parse(new X509Certificate(pem).validTo);
}

function parseCertificate(pem: string | Buffer, what: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (error) {
    throw new KubeconfigError(`${what}: the certificate cannot be read: it must be in PEM`, { cause: error });
  }
}
