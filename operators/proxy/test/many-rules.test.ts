import { execFile } from "node:child_process";
import { mkdtempSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { describeWith, nginx } from "../../../test/components/index.js";
import { send } from "../nginx/fixtures/request.js";
import { generationFile, render } from "../nginx/render.js";
import { configurationWith, manyRules, status } from "./fixtures/many-rules.js";
import { pathsIn, renderedNginx, writeFiles } from "./fixtures/rendered-nginx.js";

const run = promisify(execFile);

describeWith("many rules", { name: nginx.name, obtain: () => nginx.obtain() }, () => {
  test.each(Object.keys(manyRules))("nginx loads a configuration with many %s", async (kind) => {
    const dir = mkdtempSync(join(tmpdir(), "fettle-px-"));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    mkdirSync(join(dir, "temporary"));
    const { files } = render(configurationWith(kind, { http: 18_080, tls: 18_443 }), pathsIn(dir));
    writeFiles(dir, new Map([...files, ["generation.conf", generationFile(1)]]));
    const program = await nginx.obtain();
    // `-t` alone, without a server: the ports may be in use.
    const { stderr } = await run(program, ["-t", "-p", dir, "-c", join(dir, "nginx.conf"), "-e", "stderr"]);
    expect(stderr).toMatch(/test is successful/);
    expect(stderr).not.toMatch(/\[warn\]|could not build/);
  });
});

const conditions = renderedNginx.with({
  configuration: (ports) => configurationWith("conditions on one path", ports),
});
describeWith("a thousand rules with conditions on one path", conditions, (get) => {
  test.each([0, 1, 499, 999])("the rule %i is found", async (index) => {
    const headers = { "x-number": `number-${index}` };
    const received = await send("/", { port: get().ports.http, host: "many.test", headers });
    expect(received.status).toBe(status(index));
  });

  test("the last rule applies without any condition", async () => {
    expect((await send("/", { port: get().ports.http, host: "many.test" })).status).toBe(418);
  });
});

const nested = renderedNginx.with({
  configuration: (ports) => configurationWith("nested paths with conditions", ports),
});
describeWith("hundreds of nested paths", nested, (get) => {
  test.each([1, 2, 50, 100, 200, 300])("the rule for %i elements is found", async (depth) => {
    const options = { port: get().ports.http, host: "many.test" };
    const found = await send("/a".repeat(depth), {
      ...options,
      method: "POST",
      headers: { "content-length": "0" },
    });
    expect(found.status).toBe(status(300 - depth));
    expect((await send("/a".repeat(depth), options)).status).toBe(404);
  });
});
