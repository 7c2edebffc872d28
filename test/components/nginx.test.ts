import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { describeWith, nginx } from "./index.js";

async function text(url: string): Promise<string> {
  return (await fetch(url)).text();
}

describeWith("nginx", nginx, (get) => {
  test("serves a file", async () => {
    writeFileSync(join(get().root, "hello.txt"), "hello");
    expect(await text(`${get().url}/hello.txt`)).toBe("hello");
  });

  test("rereads a changed configuration, and keeps it through a restart", async () => {
    const { configFile, url } = get();
    const config = readFileSync(configFile, "utf8");
    writeFileSync(configFile, config.replace("root ", "location = /new { return 200 new; }\nroot "));
    await get().signal("SIGHUP");
    await vi.waitFor(async () => expect(await text(`${url}/new`)).toBe("new"));
    await get().restart();
    expect(await text(`${url}/new`)).toBe("new");
  });
});

const teapot = nginx.with({ http: ({ port }) => `server { listen 127.0.0.1:${port}; return 418; }` });

describeWith("nginx with a custom configuration", teapot, (get) => {
  test("responds as configured", async () => {
    expect((await fetch(get().url)).status).toBe(418);
  });
});
