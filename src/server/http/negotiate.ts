import { failures } from "../../model/core.js";

/** Kind that a response can be converted to: `as=Table;g=meta.k8s.io;v=v1`. */
interface Conversion {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Formats in which a response is available. */
export interface Offered {
  /** Supported media types; the first is the default. */
  readonly mediaTypes: readonly string[];
  readonly conversions?: readonly Conversion[] | undefined;
  /** True for a watch. */
  readonly stream?: boolean | undefined;
}

/** Format of a response, as negotiated with the client. */
export interface Negotiated {
  /** One of {@link Offered.mediaTypes}. */
  readonly mediaType: string;
  /** One of {@link Offered.conversions}; undefined for the object itself. */
  readonly as?: Conversion | undefined;
  /** True when indentation is requested (`application/json;pretty=1`). */
  readonly pretty: boolean;
}

const metaVersions = ["v1", "v1beta1"];

/** Formats of an object. */
export const objectOffer: Offered = {
  mediaTypes: ["application/json", "application/yaml"],
  conversions: conversionsTo("Table", "PartialObjectMetadata"),
};

/** Formats of an object that has no Table. */
export const objectWithoutTableOffer: Offered = {
  mediaTypes: objectOffer.mediaTypes,
  conversions: conversionsTo("PartialObjectMetadata"),
};

/** Formats of a list. */
export const listOffer: Offered = {
  mediaTypes: objectOffer.mediaTypes,
  conversions: conversionsTo("Table", "PartialObjectMetadataList"),
};

/** Formats of a watch. */
export const watchOffer: Offered = {
  mediaTypes: ["application/json"],
  conversions: objectOffer.conversions,
  stream: true,
};

/** Formats of a document without conversions. */
export const plainOffer: Offered = { mediaTypes: objectOffer.mediaTypes };

/**
 * Finds the preferred format of an `Accept` header: by quality, then specific before wildcard, then in the order written. Throws
 * 406 when none is supported.
 *
 * @example
 * negotiate("application/json;as=Table;v=v1;g=meta.k8s.io,application/json", listOffer).as?.kind; // "Table"
 */
export function negotiate(accept: string | undefined, offered: Offered): Negotiated {
  const { mediaTypes } = offered;
  if (!accept) return { mediaType: mediaTypes[0] ?? "", pretty: false };
  for (const clause of parseAccept(accept)) {
    for (const mediaType of mediaTypes) {
      if (!matches(clause, mediaType)) continue;
      const found = accepted(clause, mediaType, offered);
      if (found) return found;
    }
  }
  throw failures.notAcceptable(
    offered.stream ? mediaTypes.map((mediaType) => `${mediaType};stream=watch`) : mediaTypes,
  );
}

/** Cached `Accept` headers per offer; bounded, since a client could send a new one each time. */
const maxCached = 200;
const cache = new Map<Offered, Map<string, Negotiated>>(
  [objectOffer, objectWithoutTableOffer, listOffer, watchOffer, plainOffer].map((offer) => [
    offer,
    new Map(),
  ]),
);

/** Like {@link negotiate}, for headers that come again and again. */
export function negotiateCached(accept: string, offered: Offered): Negotiated {
  const cached = cache.get(offered);
  let form = cached?.get(accept);
  if (form === undefined) {
    form = negotiate(accept, offered);
    if (cached !== undefined) {
      if (cached.size >= maxCached) cached.clear();
      cached.set(accept, form);
    }
  }
  return form;
}

interface Clause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

function parseAccept(header: string): Clause[] {
  const clauses: Clause[] = [];
  for (const part of header.split(",")) {
    const [range = "", ...rest] = part.split(";");
    const [type = "", subtype = type === "*" ? "*" : "", ...more] = range.trim().toLowerCase().split("/");
    if (type === "" || subtype === "" || more.length > 0) continue;
    const parameters = new Map(rest.map(parseParameter));
    const quality = parameters.has("q") ? Number(parameters.get("q")) : 1;
    // Quality 0 excludes a format; a malformed quality makes the clause invalid.
    if (quality > 0) clauses.push({ type, subtype, quality, parameters });
  }
  return clauses.sort((a, b) => b.quality - a.quality || specificity(b) - specificity(a));
}

function parseParameter(text: string): [string, string] {
  const equals = text.indexOf("=");
  if (equals < 0) return [text.trim(), ""];
  const value = text.slice(equals + 1).trim();
  const quoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
  return [text.slice(0, equals).trim(), quoted ? value.slice(1, -1) : value];
}

function specificity({ type, subtype }: Clause): number {
  return type === "*" ? 0 : subtype === "*" ? 1 : 2;
}

function matches({ type, subtype }: Clause, mediaType: string): boolean {
  const slash = mediaType.indexOf("/");
  if (type !== "*" && type !== mediaType.slice(0, slash)) return false;
  return subtype === "*" || (type !== "*" && subtype === mediaType.slice(slash + 1));
}

/** Format that a clause selects; undefined when it is not supported. */
function accepted({ parameters }: Clause, mediaType: string, offered: Offered): Negotiated | undefined {
  const stream = parameters.get("stream");
  if (stream && !(stream === "watch" && mediaType === "application/json")) return undefined;
  if (parameters.get("sv")) return undefined;
  const pretty = parameters.get("pretty") === "1";
  const kind = parameters.get("as");
  const group = parameters.get("g");
  const version = parameters.get("v");
  if (kind === undefined && group === undefined && version === undefined) return { mediaType, pretty };
  const as = offered.conversions?.find(
    (conversion) => conversion.kind === kind && conversion.group === group && conversion.version === version,
  );
  return as && { mediaType, as, pretty };
}

function conversionsTo(...kinds: string[]): Conversion[] {
  return kinds.flatMap((kind) => metaVersions.map((version) => ({ group: "meta.k8s.io", version, kind })));
}
