import { expect, test } from "vitest";
import { connectionTo } from "./connection-to.js";
import { selfSigned } from "./fixtures/certificate.js";
import { Folder } from "./fixtures/folder.js";

test("contains exactly the given options", async () => {
  const { cert, key } = await selfSigned("me");
  const connection = connectionTo({
    server: "https://api.example.com:6443/",
    namespace: "team",
    token: "abc",
    ca: cert,
    certificate: { cert, key },
    impersonate: { user: "jane", groups: ["dev"] },
    env: { HTTPS_PROXY: "proxy:3128" },
  });
  expect(connection).toMatchObject({
    server: "https://api.example.com:6443",
    namespace: "team",
    proxy: "http://proxy:3128",
    tls: { ca: Buffer.from(cert), certificate: { cert, key } },
  });
  expect(await connection.headers?.()).toEqual({
    Authorization: "Bearer abc",
    "Impersonate-User": "jane",
    "Impersonate-Group": "dev",
  });

  const plain = connectionTo({ server: "127.0.0.1:8080", proxy: false });
  expect(plain).toMatchObject({ server: "http://127.0.0.1:8080", namespace: "default" });
  expect(Object.keys(plain)).toEqual(["server", "namespace", "headers"]);
  expect(await plain.headers?.()).toEqual({});
});

test("tokens can come from a function or a file", async () => {
  const fetched = connectionTo({
    server: "https://a",
    token: async ({ renew }) => (renew ? "new" : "old"),
  });
  expect(await fetched.headers?.()).toEqual({ Authorization: "Bearer old" });
  expect(await fetched.headers?.({ renew: true })).toEqual({ Authorization: "Bearer new" });

  using folder = new Folder();
  const filed = connectionTo({ server: "https://a", tokenFile: folder.write("token", "filed\n") });
  expect(await filed.headers?.()).toEqual({ Authorization: "Bearer filed" });
});

test("rejects contradictory options", async () => {
  const { cert } = await selfSigned("ca");
  const server = "https://a";
  expect(() => connectionTo({ server, token: "a", username: "b" })).toThrow(
    "only one of token, tokenFile and username",
  );
  expect(() => connectionTo({ server, ca: cert, insecure: true })).toThrow(
    "ca and insecure contradict each other",
  );
  expect(() => connectionTo({ server, ca: "none" })).toThrow(
    "connectionTo: ca: the certificate cannot be read",
  );
});
