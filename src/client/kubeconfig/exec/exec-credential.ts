import { parseTime } from "../../../model/core.js";
import type { ClientCertificate } from "../../transport/connection.js";
import { bearer } from "../credentials/authorization.js";
import { checkPair, endOf } from "../credentials/pem.js";

/** Parsed output of a plugin. */
export interface ExecCredential {
  readonly authorization: string | undefined;
  readonly certificate: ClientCertificate | undefined;
  /** Milliseconds since 1970; Infinity without an expiry. */
  readonly expires: number;
}

/**
 * Parses an ExecCredential. Errors are the predicate of a sentence about the plugin, and contain nothing of its output, which
 * may be secret.
 */
export function parseExecCredential(text: string, apiVersion: string): ExecCredential {
  const printed = record(parseJson(text));
  if (printed?.["kind"] !== "ExecCredential") throw new Error("printed no ExecCredential");
  if (printed["apiVersion"] !== apiVersion) {
    throw new Error(
      `printed an ExecCredential of ${String(printed["apiVersion"])}, but the kubeconfig has apiVersion ${apiVersion}; set it to the version of the plugin`,
    );
  }
  const status = record(printed["status"]);
  if (status === undefined) throw new Error("printed an ExecCredential without a status");
  const token = field(status, "token");
  const cert = field(status, "clientCertificateData");
  const key = field(status, "clientKeyData");
  if ((cert === undefined) !== (key === undefined)) {
    throw new Error("printed only one of clientCertificateData and clientKeyData; both are needed");
  }
  if (token === undefined && cert === undefined) {
    throw new Error("printed neither a token nor a client certificate");
  }
  const end = field(status, "expirationTimestamp");
  const certificate =
    cert === undefined || key === undefined ? undefined : checkPair({ cert, key }, "printed a pair");
  return {
    authorization: token === undefined ? undefined : bearer(token, "printed a token that"),
    certificate,
    // An expired certificate fails the TLS handshake, which would not cause a renewal.
    expires: Math.min(
      end === undefined ? Infinity : parseTime(end),
      certificate === undefined ? Infinity : endOf(certificate.cert),
    ),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(text.trim() === "" ? "printed nothing" : "printed something that is not JSON");
  }
}

function record(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

function field(status: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = status[name];
  if (value === undefined || value === null || value === "") return undefined;
  if (typeof value !== "string") throw new Error(`printed a status.${name} that is not a string`);
  return value;
}
