import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { component, type StartOptions } from "./component.js";
import { isRoot } from "./machine/account.js";
import { accepts } from "./process/probe.js";

interface NginxOptions extends StartOptions {
  /** Content of `http { … }`. Default: a server for the files in `root`. */
  readonly http?: (place: { readonly port: number; readonly root: string }) => string;
}

function files({ port, root }: { readonly port: number; readonly root: string }): string {
  return `server { listen 127.0.0.1:${port}; root ${root}; }`;
}

/**
 * nginx, serving the files in `root`. Its configuration is `configFile`; after a change, `signal("SIGHUP")` reloads it.
 */
export const nginx = component({
  name: "nginx",
  program: { name: "nginx", package: "nginx-light" },
  ports: ["http"],
  // nginx creates the folders of its temporary files, but not their parent.
  async initialise({ dir }) {
    for (const folder of ["html", "temporary"]) mkdirSync(join(dir, folder));
  },
  async configure({ dir, ports }, options: NginxOptions | undefined) {
    const http = options?.http ?? files;
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    const lines = [
      // The workers must be able to read our folder, which is closed to other users.
      ...(isRoot() ? ["user root;"] : []),
      "daemon off;",
      "worker_processes 1;",
      "error_log stderr notice;",
      "pid nginx.pid;",
      "events { worker_connections 256; }",
      "http {",
      "access_log off;",
      ...temporary.map((purpose) => `${purpose}_temp_path temporary/${purpose};`),
      http({ port: ports.http, root: join(dir, "html") }),
      "}",
    ];
    writeFileSync(join(dir, "nginx.conf"), `${lines.join("\n")}\n`);
  },
  args: ({ dir }) => ["-p", dir, "-c", "nginx.conf", "-e", "stderr"],
  ready: ({ ports }) => accepts(ports.http),
  expose: ({ dir, ports }) => ({
    url: `http://127.0.0.1:${ports.http}`,
    root: join(dir, "html"),
    configFile: join(dir, "nginx.conf"),
  }),
});
