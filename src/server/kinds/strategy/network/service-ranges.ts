import { AddressRange, type IpFamily } from "./address-range.js";

/** Ranges from which services get addresses and ports, as settings have them. */
export interface ServiceRangeOptions {
  /** One range, or two of different families separated by a comma. Default: `10.96.0.0/16`. */
  readonly clusterIPRange?: string | undefined;
  /** Default: `30000-32767`. */
  readonly nodePortRange?: string | undefined;
}

export const defaultClusterIPRange = "10.96.0.0/16";
export const defaultNodePortRange = "30000-32767";

/** Node ports that services can have. */
interface PortRange {
  readonly text: string;
  readonly first: number;
  readonly size: number;
}

/** Ranges from which services get addresses and ports. */
export interface ServiceRanges {
  /** By family; the first is the default. */
  readonly addresses: ReadonlyMap<IpFamily, AddressRange>;
  readonly nodePorts: PortRange;
}

/** @throws {Error} for malformed ranges. */
export function parseServiceRanges(options: ServiceRangeOptions = {}): ServiceRanges {
  const { clusterIPRange = defaultClusterIPRange, nodePortRange = defaultNodePortRange } = options;
  const ranges = clusterIPRange.split(",").map((text) => parseAddressRange(text.trim()));
  const addresses = new Map(ranges.map((range) => [range.family, range]));
  if (ranges.length > 2 || addresses.size !== ranges.length) {
    throw new Error(
      `services.clusterIPRange: ${JSON.stringify(clusterIPRange)} must be one address range, or one of IPv4 and one of IPv6`,
    );
  }
  return { addresses, nodePorts: parsePortRange(nodePortRange) };
}

function parseAddressRange(text: string): AddressRange {
  try {
    return new AddressRange(text);
  } catch (error) {
    throw new Error(`services.clusterIPRange: ${(error as Error).message}`, { cause: error });
  }
}

function parsePortRange(text: string): PortRange {
  const [, from = "", to = ""] = /^(\d{1,5})-(\d{1,5})$/.exec(text) ?? [];
  const [first, last] = [Number(from), Number(to)];
  if (from === "" || first < 1 || last > 65_535 || first > last) {
    throw new Error(
      `services.nodePortRange: ${JSON.stringify(text)} is not a port range: write it as ${defaultNodePortRange}`,
    );
  }
  return { text, first, size: last - first + 1 };
}
