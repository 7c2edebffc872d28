import { failures } from "../../model/core.js";

/** A kind into which an answer can be turned: `as=Table;g=meta.k8s.io;v=v1`. */
interface Conversion {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** In which forms an answer can be had. */
export interface Offered {
  /** The first is for those who do not care. Formats that are not among them are passed over. */
  readonly mediaTypes: readonly string[];
  readonly conversions?: readonly Conversion[] | undefined;
  /** Whether the answer is a watch. */
  readonly stream?: boolean | undefined;
}

/** The form that the client and the server agree on. */
export interface Negotiated {
  /** One of {@link Offered.mediaTypes}. */
  readonly mediaType: string;
  /** One of {@link Offered.conversions}; none: the answer as it is. */
  readonly as?: Conversion | undefined;
  /** Whether the format asks for line breaks (`application/json;pretty=1`). */
  readonly pretty: boolean;
}

const metaVersions = ["v1", "v1beta1"];

/** An object, and what it can be turned into. */
export const objectOffer: Offered = {
  mediaTypes: ["application/json", "application/yaml"],
  conversions: conversionsTo("Table", "PartialObjectMetadata"),
};

/** A list, and what it can be turned into. */
export const listOffer: Offered = {
  mediaTypes: objectOffer.mediaTypes,
  conversions: conversionsTo("Table", "PartialObjectMetadataList"),
};

/** A watch, and what its objects can be turned into. */
export const watchOffer: Offered = {
  mediaTypes: ["application/json"],
  conversions: objectOffer.conversions,
  stream: true,
};

/** What comes in one form only. */
export const plainOffer: Offered = { mediaTypes: objectOffer.mediaTypes };

/**
 * Finds the form that an `Accept` header likes best. The client's order counts: by quality, then the precise before
 * the general, then as written. Throws 406 when there is none.
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
    // A quality of 0 says no; one that is no number says nothing.
    if (quality > 0) clauses.push({ type, subtype, quality, parameters });
  }
  return clauses.sort((a, b) => b.quality - a.quality || precision(b) - precision(a));
}

function parseParameter(text: string): [string, string] {
  const equals = text.indexOf("=");
  if (equals < 0) return [text.trim(), ""];
  const value = text.slice(equals + 1).trim();
  const quoted = value.length > 1 && value.startsWith('"') && value.endsWith('"');
  return [text.slice(0, equals).trim(), quoted ? value.slice(1, -1) : value];
}

function precision({ type, subtype }: Clause): number {
  return type === "*" ? 0 : subtype === "*" ? 1 : 2;
}

function matches({ type, subtype }: Clause, mediaType: string): boolean {
  const slash = mediaType.indexOf("/");
  if (type !== "*" && type !== mediaType.slice(0, slash)) return false;
  return subtype === "*" || (type !== "*" && subtype === mediaType.slice(slash + 1));
}

/** A clause that asks for what is not offered counts for nothing, and the next one may. */
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
