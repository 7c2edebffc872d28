import { dirname, resolve, sep } from "node:path";
import { parseDocumentField, type DocumentField } from "./document-field.js";
import type {
  ExecConfig,
  FileOrData,
  Impersonation,
  Kubeconfig,
  KubeconfigCluster,
  KubeconfigContext,
  KubeconfigEntry,
  KubeconfigUser,
} from "./kubeconfig.js";

/**
 * Parses a kubeconfig in YAML or JSON. Referenced files are relative to the folder of `path`, or to the working directory
 * without one. Unknown fields are ignored; a wrong type is a {@link KubeconfigError} with file, line and field.
 *
 * @example
 * const config = parseKubeconfig(await readFile(path, "utf8"), path);
 * config.currentContext; // "kind-demo"
 */
export function parseKubeconfig(text: string, path?: string): Kubeconfig {
  const file = path ?? "kubeconfig";
  const root = parseDocumentField(text, file);
  const version = root.field("apiVersion");
  const kind = root.field("kind");
  if ((version.string() ?? "v1") !== "v1") version.fail(`must be v1, not ${String(version.value)}`);
  if ((kind.string() ?? "Config") !== "Config") {
    kind.fail(`must be Config, not ${String(kind.value)}: this is not a kubeconfig`);
  }
  const folder = path === undefined ? process.cwd() : dirname(resolve(path));
  return {
    files: [file],
    currentContext: root.field("current-context").string(),
    contexts: entries(root.field("contexts"), "context", context),
    clusters: entries(root.field("clusters"), "cluster", (field, entry) => cluster(field, entry, folder)),
    users: entries(root.field("users"), "user", (field, entry) => user(field, entry, folder)),
  };
}

function entries<T>(
  list: DocumentField,
  what: string,
  read: (field: DocumentField, entry: KubeconfigEntry) => T,
): Map<string, T> {
  const found = new Map<string, T>();
  for (const item of list.list()) {
    const name = item.field("name").string() ?? "";
    if (found.has(name)) {
      item
        .field("name")
        .fail(`is ${JSON.stringify(name)}, and so is an earlier ${what}'s; give one of them another name`);
    }
    found.set(name, read(item.field(what), { name, where: item.where }));
  }
  return found;
}

function context(field: DocumentField, entry: KubeconfigEntry): KubeconfigContext {
  return {
    ...entry,
    cluster: field.field("cluster").string(),
    user: field.field("user").string(),
    namespace: field.field("namespace").string(),
  };
}

function cluster(field: DocumentField, entry: KubeconfigEntry, folder: string): KubeconfigCluster {
  const extensions = field.field("extensions").list();
  const forExec = extensions.find((extension) => extension.field("name").string() === execExtension);
  return {
    ...entry,
    server: field.field("server").string(),
    ca: fileOrData(field, "certificate-authority", folder),
    insecure: field.field("insecure-skip-tls-verify").boolean(),
    serverName: field.field("tls-server-name").string(),
    proxyUrl: field.field("proxy-url").string(),
    execConfig: forExec?.field("extension").value,
  };
}

const execExtension = "client.authentication.k8s.io/exec";

function user(field: DocumentField, entry: KubeconfigEntry, folder: string): KubeconfigUser {
  const authProvider = field.field("auth-provider");
  return {
    ...entry,
    certificate: fileOrData(field, "client-certificate", folder),
    key: fileOrData(field, "client-key", folder),
    token: field.field("token").string(),
    tokenFile: inFolder(field.field("tokenFile").string(), folder),
    username: field.field("username").string(),
    password: field.field("password").string(),
    impersonate: impersonation(field),
    exec: exec(field.field("exec"), folder),
    authProvider: authProvider.record() && (authProvider.field("name").string() ?? "unnamed"),
  };
}

function impersonation(field: DocumentField): Impersonation | undefined {
  const user = field.field("as").string();
  const uid = field.field("as-uid").string();
  const groups = strings(field.field("as-groups"));
  const extra = field.field("as-user-extra").fields();
  if (user === undefined && uid === undefined && groups.length === 0 && extra.length === 0) return undefined;
  return { user, uid, groups, extra: Object.fromEntries(extra.map((item) => [item.name, strings(item)])) };
}

function exec(field: DocumentField, folder: string): ExecConfig | undefined {
  if (field.record() === undefined) return undefined;
  const command = field.field("command").string();
  if (command === undefined) field.fail("has no command; name the program that prints the credentials");
  const env = field
    .field("env")
    .list()
    .map((item: DocumentField): [string, string] => {
      const name = item.field("name").string();
      if (name === undefined) item.fail("has no name");
      return [name, item.field("value").string() ?? ""];
    });
  return {
    // A name without a slash is looked up on the PATH; other paths are relative to the kubeconfig.
    command: command.includes("/") || command.includes(sep) ? resolve(folder, command) : command,
    args: strings(field.field("args")),
    env: Object.fromEntries(env),
    apiVersion: field.field("apiVersion").string(),
    installHint: field.field("installHint").string(),
    provideClusterInfo: field.field("provideClusterInfo").boolean(),
    interactiveMode: field.field("interactiveMode").string(),
  };
}

function fileOrData(field: DocumentField, name: string, folder: string): FileOrData {
  return { file: inFolder(field.field(name).string(), folder), data: field.field(`${name}-data`).base64() };
}

function inFolder(file: string | undefined, folder: string): string | undefined {
  return file === undefined ? undefined : resolve(folder, file);
}

function strings(field: DocumentField): string[] {
  return field.list().map((item) => item.string() ?? "");
}
