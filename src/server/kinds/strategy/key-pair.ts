import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";

/** Reason why a PEM certificate and private key do not match; undefined when they do. */
export function keyPairFault(certificate: Buffer, key: Buffer): string | undefined {
  const certificateFault = pemFault(certificate, "CERTIFICATE", "certificate");
  if (certificateFault) return certificateFault;
  const keyFault = pemFault(key, "PRIVATE KEY", "key");
  if (keyFault) return keyFault;
  let leaf: X509Certificate;
  let privateKey: KeyObject;
  try {
    leaf = new X509Certificate(certificate);
  } catch {
    return "tls: failed to parse certificate";
  }
  try {
    privateKey = createPrivateKey(key);
  } catch {
    return "tls: failed to parse private key";
  }
  return leaf.checkPrivateKey(privateKey) ? undefined : "tls: private key does not match public key";
}

function pemFault(pem: Buffer, wanted: string, what: string): string | undefined {
  const text = pem.toString("latin1");
  if (!text.includes("-----BEGIN ")) return `tls: failed to find any PEM data in ${what} input`;
  return new RegExp(`-----BEGIN [A-Z ]{0,20}${wanted}-----`).test(text)
    ? undefined
    : `tls: failed to find a PEM block of a ${what === "key" ? "private key" : what} in ${what} input`;
}
