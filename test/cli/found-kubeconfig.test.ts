import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fettle } from "./fettle-process.js";
import { folderWith } from "./folder.js";

test("the kubeconfig of the current folder runs no program unless it is named", async () => {
  const folder = await folderWith();
  const program = join(folder, "login");
  const evidence = join(folder, "ran");
  await writeFile(program, `#!/bin/sh\ntouch ${evidence}\nexit 1\n`, { mode: 0o755 });
  const exec = { apiVersion: "client.authentication.k8s.io/v1", command: program, interactiveMode: "Never" };
  const kubeconfig = join(folder, ".fettle", "kubeconfig");
  await mkdir(join(folder, ".fettle"));
  await writeFile(
    kubeconfig,
    JSON.stringify({
      "current-context": "here",
      contexts: [{ name: "here", context: { cluster: "here", user: "me" } }],
      clusters: [{ name: "here", cluster: { server: "https://127.0.0.1:1" } }],
      users: [{ name: "me", user: { exec } }],
    }),
    { mode: 0o600 },
  );

  const found = fettle(["get", "sites"], { cwd: folder });
  expect(await found.ended).toBe(1);
  expect(found.err()).toContain("this kubeconfig was found, not named, and runs the program");
  expect(existsSync(evidence)).toBe(false);

  const named = fettle(["get", "sites", "--kubeconfig", kubeconfig], { cwd: folder });
  expect(await named.ended).toBe(1);
  expect(existsSync(evidence)).toBe(true);
});
