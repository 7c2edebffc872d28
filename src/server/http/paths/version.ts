/** Version of the Kubernetes API that is implemented. */
const major = "1";
const minor = "33";

/** Body of `/version`. Clients read the Kubernetes version from it, so Fettle's is appended as build metadata. */
export interface VersionInfo {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

/** Go's names of architectures by Node's. */
const architectures = new Map([
  ["x64", "amd64"],
  ["ia32", "386"],
]);

/** Body of `/version`; `fettleVersion` is the version of this package, such as `0.1.0`. */
export function versionInfo(fettleVersion: string): VersionInfo {
  const os = process.platform === "win32" ? "windows" : process.platform;
  return {
    major,
    minor,
    gitVersion: `v${major}.${minor}.0+fettle-${fettleVersion}`,
    gitCommit: "",
    gitTreeState: "clean",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: `node${process.versions.node}`,
    compiler: "v8",
    platform: `${os}/${architectures.get(process.arch) ?? process.arch}`,
  };
}
