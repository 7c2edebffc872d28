import { readFileSync } from "node:fs";
import { pollFiles } from "../files/poll-files.js";
import { CertificateError, checkKeyPair, type KeyPair } from "./certificate.js";

/** Paths of a certificate and its private key in PEM. Intermediate certificates may follow the certificate. */
export interface KeyPairFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** @throws {CertificateError} when a file cannot be read, or the key does not belong to the certificate. */
export function readKeyPair({ certFile, keyFile }: KeyPairFiles): KeyPair {
  const pair = { cert: read(certFile), key: read(keyFile) };
  try {
    checkKeyPair(pair);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CertificateError(`${certFile}, ${keyFile}: ${why}`, { cause: error });
  }
  return pair;
}

/**
 * Calls back with the key pair when the files change, until the returned function is called: certbot and similar programs renew
 * certificates in place. Between the change of one file and of the other, the pair does not match and is not passed on.
 */
export function followKeyPair(
  files: KeyPairFiles,
  {
    interval = 10_000,
    onChange,
    onError,
  }: {
    readonly interval?: number;
    readonly onChange: (pair: KeyPair) => void;
    readonly onError: (error: unknown) => void;
  },
): () => void {
  return pollFiles([files.certFile, files.keyFile], {
    interval,
    onChange: () => onChange(readKeyPair(files)),
    onError,
  });
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new CertificateError(`${path} cannot be read: ${why}`, { cause: error });
  }
}
