import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { connectionTo, createClient, httpTransport, loadConnection } from "../../src/client/index.js";
import { ConfigMap } from "../../src/client/kinds/kubernetes.js";
import { describeWith, kubectl, kubernetes } from "./index.js";

const run = promisify(execFile);

describeWith("kubernetes", kubernetes, (get) => {
  test("stores objects that our client creates", async () => {
    const connection = await loadConnection({ kubeconfig: get().kubeconfig });
    await using transport = httpTransport({ connection });
    const client = createClient({ transport });
    const lamp = { metadata: { name: "lamp", namespace: "default" }, data: { hall: "on" } };
    await client.create(ConfigMap, lamp);
    expect(await client.get(ConfigMap, "default/lamp")).toMatchObject(lamp);
  });

  test("authenticates its users, of which only admin has all permissions", async () => {
    const { url, ca, tokens } = get();
    const read = async (token: string) => {
      await using transport = httpTransport({ connection: connectionTo({ server: url, token, ca }) });
      return await createClient({ transport }).list(ConfigMap);
    };
    expect(await read(tokens.admin)).toMatchObject({ items: expect.any(Array) });
    await expect(read(tokens.alice)).rejects.toThrow('User "alice" cannot list resource "configmaps"');
    await expect(read(tokens.bob)).rejects.toThrow('User "bob" cannot list resource "configmaps"');
  });

  describeWith("with kubectl", kubectl, () => {
    test("stores objects that kubectl creates", async () => {
      const { path } = await kubectl.obtain();
      const ask = async (...args: string[]) =>
        (await run(path, [...args, "--kubeconfig", get().kubeconfig])).stdout;
      await ask("create", "configmap", "fan", "--from-literal=hall=off");
      expect(await ask("get", "configmap", "fan", "-o", "jsonpath={.data.hall}")).toBe("off");
      expect(await ask("version", "-o", "json")).toContain('"gitVersion": "v1.34.2"');
    });
  });
});
