import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemdUnits } from "./systemd.js";

const service = {
  name: "sites",
  program: [process.execPath, "/opt/100% my $sites/main.js"],
  folder: "/",
  words: ["index.ts", "--hosts", 'quote".example.com'],
};

test("runs the control plane as a user of its own, on a data folder of its own", () => {
  const text = systemdUnits(service)["sites.service"] ?? "";
  expect(text).toContain(
    `ExecStart=${process.execPath} "/opt/100%% my $$sites/main.js" up --data /var/lib/sites/data --log json index.ts --hosts "quote\\".example.com"\n`,
  );
  expect(text).toContain("DynamicUser=yes\nUser=sites\nStateDirectory=sites\n");
});

test("leaves supervised processes alone when the control plane is restarted", () => {
  expect(systemdUnits(service)["sites.service"]).toContain("KillMode=process\n");
});

test("backs up the data folder of the control plane every day", () => {
  const units = systemdUnits(service);
  expect(units["sites-backup.service"]).toContain(
    "backup --force --data /var/lib/sites/data -o /var/lib/sites/backups/",
  );
  expect(units["sites-backup.timer"]).toContain("OnCalendar=daily\n");
});

test.runIf(existsSync("/usr/bin/systemd-analyze"))("systemd accepts the units", () => {
  const folder = mkdtempSync(join(tmpdir(), "fettle-units-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const paths = Object.entries(systemdUnits(service)).map(([name, text]) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  });
  expect(execFileSync("systemd-analyze", ["verify", ...paths], { encoding: "utf8", stdio: "pipe" })).toBe("");
});
