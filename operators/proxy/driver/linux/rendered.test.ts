import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { describeWith } from "../../../../test/components/describe-with.js";
import { nginx } from "../../../../test/components/services.js";
import { render } from "../../nginx/render.js";
import { noHeaderChanges, type Origin, type ProxyConfiguration } from "../../translate/configuration.js";
import { TestProxy } from "./fixtures.js";

const origin: Origin = { kind: "Gateway", namespace: "default", name: "web" };

/** Configuration with a port that responds with a status code. */
function configurationOf(port: number, status: number): ProxyConfiguration {
  const path = { type: "Prefix", value: "/" } as const;
  const rule = {
    match: { path, method: undefined, headers: [], queryParams: [] },
    action: { type: "respond", status } as const,
    requestHeaders: noHeaderChanges,
    responseHeaders: noHeaderChanges,
    limit: undefined,
    timeout: undefined,
    origin,
  };
  return {
    settings: {
      addresses: ["127.0.0.1"],
      workers: 2,
      workerConnections: 64,
      user: "www-data",
      shutdownTimeout: 1000,
      accessLog: false,
    },
    ports: [
      { port, protocol: "HTTP", servers: [{ hostname: undefined, certificates: [], rules: [rule], origin }] },
    ],
    upstreams: [],
    limits: [],
  };
}

describeWith("rendered configurations", { name: nginx.name, obtain: () => nginx.obtain() }, () => {
  test("are served one after the other", async () => {
    await using proxy = await TestProxy.open();
    const { driver } = proxy;
    const [port = 0] = await proxy.freePorts(1);
    for (const status of [404, 503, 500]) {
      const { files, digest } = render(configurationOf(port, status), driver.paths);
      const generation = await driver.stage(files, digest);
      expect(await driver.check(generation)).toEqual({ ok: true });
      await driver.activate(generation);
      await driver.reload();
      await proxy.startNginx();
      await driver.verify(generation, [port], { timeout: 20_000 });
      await driver.markGood(generation);
      expect(await driver.inspect()).toMatchObject({ served: generation, active: { digest }, edited: [] });
      expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(status);
    }
  });

  test("have the reason of a failed reload in the log that the driver reads", async () => {
    await using proxy = await TestProxy.open();
    const { driver } = proxy;
    const [port = 0, taken = 0] = await proxy.freePorts(2);
    const stage = (number: number): Promise<number> => {
      const { files, digest } = render(configurationOf(number, 404), driver.paths);
      return driver.stage(files, digest);
    };
    await driver.activate(await stage(port));
    await proxy.startNginx();
    await driver.verify(1, [port], { timeout: 20_000 });
    await using _other = await proxy.occupy(taken);
    await driver.activate(await stage(taken));
    await driver.reload();
    await expect(driver.verify(2, [taken], { timeout: 20_000 })).rejects.toThrow(
      `nginx kept the old configuration: bind() to 127.0.0.1:${taken} failed (98: Address already in use)`,
    );
    expect(readFileSync(driver.paths.errorLog, "utf8")).toContain("[emerg]");
  });
});
