import type { Origin } from "../translate/configuration.js";

/** Absolute paths that a rendered configuration names. */
export interface RenderPaths {
  /** Unix socket on which the number of the configuration is served. */
  readonly socket: string;
  readonly pidFile: string;
  /** Log of errors that the driver reads; the errors also go to standard error. */
  readonly errorLog: string;
  /** Log of refused requests, one JSON object per line. */
  readonly limitLog: string;
  /** Folder for temporary files; undefined for the compiled-in ones, which workers of another user can use. */
  readonly temporary: string | undefined;
  /** True if the master runs as root, so that workers change their user. */
  readonly asRoot: boolean;
}

/** Files of a configuration. The main one is `nginx.conf`; paths are relative to its folder. */
export interface RenderedConfiguration {
  /** Content by path, in order of the paths. Without `generation.conf`, which `nginx.conf` includes. */
  readonly files: ReadonlyMap<string, string>;
  /** SHA-256 over all paths and contents, in hexadecimal digits. */
  readonly digest: string;
  /** Object that a line, counted from 1, comes from. */
  originOf(file: string, line: number): Origin | undefined;
}
