import { BlockList, isIP } from "node:net";
import { domainToASCII } from "node:url";

interface Host {
  /** Lower case, ASCII, without brackets. */
  readonly name: string;
  readonly port: string;
}

type Rule = (host: Host) => boolean;

/**
 * True if NO_PROXY covers a host, by Go's rules: `*` is everything, `10.0.0.0/8` and
 * `10.1.2.3` are addresses, `example.com` is that host and all below it, `.example.com` and `*.example.com` only those
 * below; all but networks can have a `:port`. Names are never looked up, so a network covers only servers named by address.
 */
export function isExempt(noProxy: string, host: Host): boolean {
  return noProxy
    .split(",")
    .map((entry) => ruleOf(entry.trim().toLowerCase()))
    .some((rule) => rule(host));
}

/** Loopback addresses, which never use a proxy of the environment. */
export function isLocal(name: string): boolean {
  return name === "localhost" || contains(loopback, name);
}

const nothing: Rule = () => false;

function ruleOf(entry: string): Rule {
  if (entry === "*") return () => true;
  const network = networkOf(entry);
  if (network !== undefined) return ({ name }) => contains(network, name);
  const { name, port } = splitPort(entry);
  if (name === "") return nothing;
  const samePort = (host: Host): boolean => port === "" || port === host.port;
  if (isIP(name) !== 0) {
    const address = new BlockList();
    address.addAddress(name, family(name));
    return (host) => contains(address, host.name) && samePort(host);
  }
  const below = name.startsWith("*.") ? name.slice(1) : name;
  if (below.startsWith(".")) {
    const suffix = `.${ascii(below.slice(1))}`;
    return (host) => host.name.endsWith(suffix) && samePort(host);
  }
  const domain = ascii(below);
  return (host) => (host.name === domain || host.name.endsWith(`.${domain}`)) && samePort(host);
}

function networkOf(entry: string): BlockList | undefined {
  const match = /^([^/]+)\/(\d{1,3})$/.exec(entry);
  const address = match?.[1] ?? "";
  const bits = Number(match?.[2]);
  if (match === null || isIP(address) === 0 || bits > (isIP(address) === 4 ? 32 : 128)) return undefined;
  const network = new BlockList();
  network.addSubnet(address, bits, family(address));
  return network;
}

/** `name:port`, `[address]:port`; an IPv6 address without brackets has no port. */
function splitPort(entry: string): Host {
  const match = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::([^:]*))?$/.exec(entry);
  if (match === null) return { name: entry, port: "" };
  return { name: match[1] ?? match[2] ?? "", port: match[3] ?? "" };
}

function contains(list: BlockList, name: string): boolean {
  return isIP(name) !== 0 && list.check(name, family(name));
}

function family(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}

function ascii(domain: string): string {
  return domainToASCII(domain) || domain;
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");
