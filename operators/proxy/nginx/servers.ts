import type {
  CertificateFiles,
  PortConfiguration,
  ProxySettings,
  VirtualServer,
} from "../translate/configuration.js";
import type { ActionContext } from "./actions.js";
import { block, directive, text, type Directive } from "./directive.js";
import { locationsOf } from "./locations.js";
import { checkedAddress, checkedHostname, checkedName, checkedNumber, RefusedValue } from "./refusal.js";

/** Servers of a port, and one for requests to other hosts. */
export function portServers(settings: ProxySettings, context: ActionContext): readonly Directive[] {
  const { port } = context;
  const servers = port.servers.map((server) => virtualServer(server, settings, context));
  const isCovered = port.servers.some(({ hostname }) => hostname === undefined);
  return isCovered ? servers : [unknownHosts(settings, port), ...servers];
}

/** Paths of the files of a certificate, relative to the folder of the configuration. */
export function certificatePaths(
  { name }: CertificateFiles,
  { origin }: VirtualServer,
): { readonly certificate: string; readonly key: string } {
  const path = `certificates/${checkedName(name, origin)}`;
  return { certificate: `${path}.crt`, key: `${path}.key` };
}

function virtualServer(server: VirtualServer, settings: ProxySettings, context: ActionContext): Directive {
  const { hostname, certificates, origin } = server;
  const { port } = context;
  if (port.protocol === "HTTPS" && certificates.length === 0)
    throw new RefusedValue(
      `there is no certificate for ${hostname ?? "all hosts"} on port ${port.port}`,
      origin,
    );
  const tls = certificates.flatMap((files) => {
    const paths = certificatePaths(files, server);
    return [
      directive("ssl_certificate", text(paths.certificate)),
      directive("ssl_certificate_key", text(paths.key)),
    ];
  });
  return block(
    "server",
    [],
    [
      ...listens(settings, port, hostname === undefined),
      ...(hostname === undefined ? [] : [directive("server_name", text(checkedHostname(hostname, origin)))]),
      ...(port.protocol === "HTTPS" ? tls : []),
      ...locationsOf(server, context),
    ],
    origin,
  );
}

/** Server for hosts that no other one has. There is no certificate for them, so that TLS connections are refused. */
function unknownHosts(settings: ProxySettings, port: PortConfiguration): Directive {
  const refuse = port.protocol === "HTTPS" ? [directive("ssl_reject_handshake", "on")] : [];
  return block("server", [], [...listens(settings, port, true), ...refuse, directive("return", 404)]);
}

function listens(
  { addresses }: ProxySettings,
  port: PortConfiguration,
  isDefault: boolean,
): readonly Directive[] {
  const number = checkedNumber(port.port, 1, 65_535, "the port", undefined);
  const options = [
    ...(isDefault ? ["default_server"] : []),
    ...(port.protocol === "HTTPS" ? ["ssl", "http2"] : []),
  ];
  return addresses.map((address) =>
    directive("listen", text(`${checkedAddress(address, undefined)}:${number}`), ...options),
  );
}
