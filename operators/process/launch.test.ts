import { expect, test } from "vitest";
import { expand, hashOf, launchOf, type References } from "./launch.js";
import { Process, type ProcessObject } from "./kinds.js";
import { fakeClient } from "fettle/testing";

const references: References = {
  configMap: (name, key) => (name === "settings" && key === "color" ? "blue" : undefined),
  secret: (name, key) => (name === "keys" && key === "token" ? "s3cret" : undefined),
};

async function processWith(spec: object): Promise<ProcessObject> {
  await using client = await fakeClient({ kinds: [Process] });
  return client.create(Process, { metadata: { name: "web" }, spec: { command: ["server"], ...spec } });
}

test("variables are replaced as in Kubernetes", () => {
  const env = { PORT: "8080", EMPTY: "" };
  expect(expand("--port=$(PORT)", env)).toBe("--port=8080");
  expect(expand("$(NONE) $$(PORT) $(EMPTY)| $PORT $$", env)).toBe("$(NONE) $(PORT) | $PORT $$");
});

test("the environment has ports, references and nothing of our own environment", async () => {
  process.env["FETTLE_TEST_SECRET"] = "x";
  const web = await processWith({
    args: ["--port=$(PORT)", "--color=$(COLOR)"],
    ports: [{ name: "http" }, { name: "admin-ui" }],
    env: [
      { name: "COLOR", valueFrom: { configMapKeyRef: { name: "settings", key: "color" } } },
      { name: "TOKEN", valueFrom: { secretKeyRef: { name: "keys", key: "token" } } },
      { name: "MAYBE", valueFrom: { secretKeyRef: { name: "keys", key: "none", optional: true } } },
      { name: "URL", value: "http://localhost:$(PORT)" },
    ],
  });
  const { argv, env } = launchOf(web, { http: 4000, "admin-ui": 4001 }, references);
  expect(argv).toEqual(["server", "--port=4000", "--color=blue"]);
  expect(env).toMatchObject({
    PORT: "4000",
    PORT_HTTP: "4000",
    PORT_ADMIN_UI: "4001",
    TOKEN: "s3cret",
    URL: "http://localhost:4000",
    FETTLE_PROCESS: "default/web",
  });
  expect(env).not.toHaveProperty("MAYBE");
  expect(env).not.toHaveProperty("FETTLE_TEST_SECRET");
  delete process.env["FETTLE_TEST_SECRET"];
});

test("a missing reference is named", async () => {
  const web = await processWith({
    env: [{ name: "TOKEN", valueFrom: { secretKeyRef: { name: "keys", key: "nope" } } }],
  });
  expect(() => launchOf(web, {}, references)).toThrow(
    "variable TOKEN needs the key nope of Secret keys, which does not exist",
  );
});

test("a NUL character in a value is refused, and the value is not shown", async () => {
  const web = await processWith({
    env: [{ name: "TOKEN", valueFrom: { secretKeyRef: { name: "keys", key: "token" } } }],
  });
  expect(() => launchOf(web, {}, { ...references, secret: () => "hidden\0" })).toThrow(
    /^Environment variable TOKEN contains a NUL character(?!.*hidden)/,
  );
});

test("the hash follows everything that is executed, and not the number of kept attempts", async () => {
  const hash = async (spec: object) => hashOf(launchOf(await processWith(spec), {}, references));
  const plain = await hash({});
  expect(await hash({ logs: { history: 9 } })).toBe(plain);
  for (const spec of [
    { args: ["x"] },
    { env: [{ name: "A", value: "1" }] },
    { user: "nobody" },
    { workingDir: "/tmp" },
    { limits: { memory: "64Mi" } },
    { logs: { maxSize: "1Mi" } },
  ]) {
    expect(await hash(spec), JSON.stringify(spec)).not.toBe(plain);
  }
});
