import { createHash } from "node:crypto";
import type { Origin, ProxyConfiguration } from "../translate/configuration.js";
import type { Directive } from "./directive.js";
import { limitDirectives } from "./limits.js";
import { generationDirectives, mainDirectives } from "./main.js";
import { quote, Refusals, RefusedValue } from "./refusal.js";
import type { RenderedConfiguration, RenderPaths } from "./rendered.js";
import { serialize } from "./serialize.js";
import { certificatePaths, portServers } from "./servers.js";
import { SharedVariables } from "./shared-variables.js";
import { upstreamBlock } from "./upstreams.js";

/**
 * Renders a configuration as files of nginx. Throws a {@link RefusedValue}, which names the object, for a value that nginx cannot have;
 * all others of that kind are in its `others`.
 *
 * @example const { files } = render(configuration, driver.paths);
 */
export function render(configuration: ProxyConfiguration, paths: RenderPaths): RenderedConfiguration {
  const origins = new Map<string, readonly (Origin | undefined)[]>();
  const contents = new Map(certificateFiles(configuration));
  const refusals = new Refusals();
  for (const [file, directives] of renderDirectives(configuration, paths, refusals)) {
    const serialized = serialize(directives, refusals);
    contents.set(file, serialized.text);
    origins.set(file, serialized.origins);
  }
  refusals.check();
  const files = new Map([...contents].sort(([a], [b]) => (a < b ? -1 : 1)));
  return {
    files,
    digest: digestOf(files),
    originOf: (file, line) => origins.get(file)?.[line - 1],
  };
}

/** Content of `generation.conf`, which the internal server includes: it returns the number for `/generation`. */
export function generationFile(generation: number): string {
  return serialize(generationDirectives(generation)).text;
}

/** Directives of all files, by path. */
export function renderDirectives(
  configuration: ProxyConfiguration,
  paths: RenderPaths,
  refusals = new Refusals(),
): ReadonlyMap<string, readonly Directive[]> {
  const variables = new SharedVariables();
  const upstreams = new Map(configuration.upstreams.map((upstream) => [upstream.name, upstream]));
  const ports = configuration.ports.map((port) => {
    const servers = portServers(configuration.settings, { port, upstreams, variables, refusals });
    return [`ports/${port.port}.conf`, servers] as const;
  });
  const included = [
    ["variables.conf", variables.definitions],
    [
      "upstreams.conf",
      configuration.upstreams.flatMap((each) => refusals.collect(() => upstreamBlock(each)) ?? []),
    ],
    ["limits.conf", limitDirectives(configuration.limits, paths)],
    ...ports,
  ] as const;
  const sizes = {
    hostnames: Math.max(0, ...configuration.ports.map(({ servers }) => servers.length)),
    variables: variables.size,
  };
  const names = included.map(([file]) => file);
  return new Map([["nginx.conf", mainDirectives(configuration, paths, sizes, names)], ...included]);
}

/** Files of the certificates; those of a name are the same for all servers. */
function certificateFiles({ ports }: ProxyConfiguration): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const server of ports.flatMap(({ servers }) => servers)) {
    for (const certificate of server.certificates) {
      const paths = certificatePaths(certificate, server);
      const isOther = (path: string, content: string): boolean => (files.get(path) ?? content) !== content;
      if (isOther(paths.certificate, certificate.certificate) || isOther(paths.key, certificate.key))
        throw new RefusedValue(`there are two certificates named ${quote(certificate.name)}`, server.origin);
      files.set(paths.certificate, certificate.certificate).set(paths.key, certificate.key);
    }
  }
  return files;
}

function digestOf(files: ReadonlyMap<string, string>): string {
  const hash = createHash("sha256");
  // With lengths, so that no content can be taken for the path of another file.
  for (const [path, content] of files)
    hash.update(`${Buffer.byteLength(path)} ${Buffer.byteLength(content)}\n${path}${content}`);
  return hash.digest("hex");
}
