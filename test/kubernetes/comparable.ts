/** Ranges of the real kube-apiserver, for ours. */
export const serviceRanges = { clusterIPRange: "10.0.0.0/24", nodePortRange: "30000-32767" };

/** Address that the real kube-apiserver publishes; ours publishes the one it listens on. */
export const advertisedAddress = "192.0.2.7";

/** Response of a server. */
export interface Answer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Response in which values that must differ between two servers (versions, ids, times) are replaced by placeholders. */
export interface Comparable {
  readonly code: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/**
 * Rewrites the responses of one server during one scenario. Resource versions are numbered in order of appearance, so
 * that a write without a change is visible.
 */
export class Comparables {
  readonly #versions = new Map<string, string>();
  readonly #addresses = new Map<string, string>();
  /** Port of the server, which it publishes. */
  readonly #port: number | undefined;

  constructor(port?: number) {
    this.#port = port;
  }

  of({ code, headers, text }: Answer): Comparable {
    return {
      code,
      headers: {
        type: mediaType(headers["content-type"]),
        warning: headers["warning"],
        allow: headers["allow"],
        newline: text.endsWith("\n"),
      },
      body: this.#bodyOf(text),
    };
  }

  #bodyOf(text: string): unknown {
    const lines = text.trimEnd().split("\n");
    const documents = lines.map(parse);
    if (lines.length > 1 && documents.every((document) => document !== undefined)) {
      return documents.map((document) => this.#rewrite(document, ""));
    }
    const document = parse(text);
    return document === undefined ? this.#rewriteAddresses(rewriteText(text)) : this.#rewrite(document, "");
  }

  #rewrite(value: unknown, key: string): unknown {
    if (typeof value === "string") return this.#rewriteString(value, key);
    if (typeof value === "number" && value === this.#port) return "<port>";
    if (typeof value === "number" && /nodePort$/i.test(key)) return this.#rewriteAddresses(String(value));
    if (Array.isArray(value)) return value.map((item) => this.#rewrite(item, key));
    if (typeof value !== "object" || value === null) return value;
    const object = value as Record<string, unknown>;
    const rewritten = Object.entries(object).map(([name, inner]) => {
      if (name === "resourceVersion" && isList(object)) return [name, "<version>"];
      return [name, this.#rewrite(inner, name)];
    });
    const copy = Object.fromEntries(rewritten) as Record<string, unknown>;
    if (Array.isArray(copy["managedFields"])) copy["managedFields"] = sorted(copy["managedFields"]);
    if (Array.isArray(copy["causes"])) copy["causes"] = sorted(copy["causes"]);
    const { generateName, name } = copy;
    if (typeof generateName === "string" && typeof name === "string" && name.startsWith(generateName)) {
      copy["name"] = name.replace(/[bcdfghjklmnpqrstvwxz2456789]{5}$/, "<random>");
    }
    return copy;
  }

  #rewriteString(value: string, key: string): string {
    if (key === "resourceVersion" && /^[1-9]\d*$/.test(value)) {
      const known = this.#versions.get(value) ?? `<version ${this.#versions.size + 1}>`;
      this.#versions.set(value, known);
      return known;
    }
    if (value.startsWith(certificate)) return certificate;
    if (value === "127.0.0.1" || value === advertisedAddress) return "<server>";
    if (key === "cells" && value === String(this.#port)) return "<port>";
    if (key === "manager") return value.replace(/^(fettle|kube-apiserver-\S+)$/, "<server>");
    if (key === "cells" && /^(\d+[smhdy])+$/.test(value)) return "<age>";
    if (key === "continue" && value !== "") return "<continue>";
    return this.#rewriteAddresses(orderless(rewriteText(value)));
  }

  /** Numbers addresses and node ports in order of appearance, since they are chosen at random. */
  #rewriteAddresses(text: string): string {
    return text.replaceAll(allocated, (address) => {
      const known = this.#addresses.get(address) ?? `<address ${this.#addresses.size + 1}>`;
      this.#addresses.set(address, known);
      return known;
    });
  }
}

const certificate = "-----BEGIN CERTIFICATE-----";

/** Addresses and node ports of services in the ranges of {@link serviceRanges}. */
const allocated = /\b10\.0\.0\.\d+\b(?!\/)|(?<![\d-])3[0-2]\d{3}(?![\d-])/g;

/**
 * Sorts managers, which servers order by time in seconds, and causes, which Go orders randomly.
 */
function sorted(entries: readonly unknown[]): readonly unknown[] {
  const order = (entry: unknown): string => {
    const { manager, operation, apiVersion, subresource, field, message } = entry as Record<string, string>;
    return [operation, manager, apiVersion, subresource, field, message].join(" ");
  };
  return [...entries].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

/** True for the metadata of a list, whose resourceVersion changes with every write. */
function isList(metadata: Record<string, unknown>): boolean {
  return metadata["name"] === undefined && metadata["creationTimestamp"] === undefined;
}

/** A message with its errors in alphabetical order. */
export function orderless(message: string): string {
  const [, start, faults] = /^(.* is invalid: )\[(.*)\]$/s.exec(message) ?? [];
  return faults === undefined ? message : `${start}[${faults.split(", ").sort().join(", ")}]`;
}

function rewriteText(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<uid>")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>")
    .replaceAll(/(\b[\w.]*-)[bcdfghjklmnpqrstvwxz2456789]{5}(?=\\?"|$)/g, "$1<random>")
    .replaceAll(/in record \(\d+\)/g, "in record (<version>)")
    .replaceAll(/too old resource version: \d+ \(\d+\)/g, "too old resource version: <version> (<version>)")
    .replaceAll(
      /Too large resource version: \d+, current: \d+/g,
      "Too large resource version: <version>, current: <version>",
    )
    .replaceAll(/\b(127\.0\.0\.1|192\.0\.2\.7):\d+/g, "<address>");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function mediaType(header: unknown): unknown {
  return typeof header === "string" ? header.replaceAll(" ", "").toLowerCase() : header;
}
