import { describe, expect, test } from "vitest";
import { listContexts } from "./list-contexts.js";
import { parseKubeconfig } from "./parse.js";

const text = `apiVersion: v1
kind: Config
preferences: {colors: true}
current-context: work
contexts:
- name: work
  context:
    cluster: east
    user: jane
    namespace: team
- name: home
  context: {cluster: nowhere, user: jane}
clusters:
- name: east
  cluster:
    server: https://east.example.com:6443
    certificate-authority: pki/ca.crt
    tls-server-name: east
    proxy-url: http://proxy:3128
    extensions:
    - name: client.authentication.k8s.io/exec
      extension: {audience: east}
users:
- name: jane
  user:
    client-certificate: /etc/jane.crt
    client-key-data: c2VjcmV0
    tokenFile: ../token
    as: admin
    as-groups: [one, two]
    as-user-extra: {scopes: [view]}
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: bin/login
      args: [--quiet]
      env:
      - {name: REGION, value: east}
      interactiveMode: Never
      somethingNew: [1, 2]
`;

test("parses all fields, with paths relative to its folder", () => {
  const config = parseKubeconfig(text, "/home/jane/.kube/config");
  expect(config.currentContext).toBe("work");
  expect(config.contexts.get("work")).toEqual({
    name: "work",
    where: "/home/jane/.kube/config:6",
    cluster: "east",
    user: "jane",
    namespace: "team",
  });
  expect(config.clusters.get("east")).toEqual({
    name: "east",
    where: "/home/jane/.kube/config:14",
    server: "https://east.example.com:6443",
    ca: { file: "/home/jane/.kube/pki/ca.crt", data: undefined },
    insecure: false,
    serverName: "east",
    proxyUrl: "http://proxy:3128",
    execConfig: { audience: "east" },
  });
  expect(config.users.get("jane")).toMatchObject({
    certificate: { file: "/etc/jane.crt" },
    key: { data: Buffer.from("secret") },
    tokenFile: "/home/jane/token",
    impersonate: { user: "admin", groups: ["one", "two"], extra: { scopes: ["view"] } },
    exec: {
      command: "/home/jane/.kube/bin/login",
      args: ["--quiet"],
      env: { REGION: "east" },
      provideClusterInfo: false,
      interactiveMode: "Never",
    },
  });
});

test("lists contexts by name, with their servers", () => {
  expect(listContexts(parseKubeconfig(text))).toEqual([
    {
      name: "home",
      current: false,
      cluster: "nowhere",
      user: "jane",
      namespace: undefined,
      server: undefined,
    },
    {
      name: "work",
      current: true,
      cluster: "east",
      user: "jane",
      namespace: "team",
      server: "https://east.example.com:6443",
    },
  ]);
});

describe("parses like kubectl", () => {
  test.each([
    ["nothing at all", "", undefined],
    ["only a comment", "# later\n", undefined],
    ["no apiVersion", "current-context: a", "a"],
    ["a byte order mark", "\uFEFFcurrent-context: a", "a"],
    ["JSON with tabs", '{\n\t"current-context": "a"\n}', "a"],
    ["several documents: the first", "current-context: a\n---\ncurrent-context: b", "a"],
    ["equal keys: the last", "current-context: a\ncurrent-context: b", "b"],
    ["dates stay text", "current-context: 2026-01-01", "2026-01-01"],
    ["times stay text", "current-context: 12:30", "12:30"],
    ["an empty text is none", 'current-context: ""', undefined],
    ["Windows' line ends", "current-context: a\r\nusers: []\r\n", "a"],
  ])("%s", (_, text, current) => {
    expect(parseKubeconfig(text).currentContext).toBe(current);
  });

  test("anchors, merge keys and the booleans of YAML 1.1", () => {
    const { clusters } = parseKubeconfig(
      "x: &base {server: https://a}\nclusters: [{name: c, cluster: {<<: *base, insecure-skip-tls-verify: yes}}]",
    );
    expect(clusters.get("c")).toMatchObject({ server: "https://a", insecure: true });
  });

  test("null entries and an exec command on the PATH", () => {
    const { users } = parseKubeconfig(
      "users: [{name: a, user: }, {name: b, user: {exec: {command: aws}}}]",
      "/k/c",
    );
    expect(users.get("a")?.token).toBeUndefined();
    expect(users.get("b")?.exec?.command).toBe("aws");
  });
});

describe("errors have file, line and field", () => {
  test.each([
    ["current-context: [a]", "f.yaml:1: current-context must be text, not a list"],
    [
      "users:\n- name: a\n  user:\n    token: 123",
      "f.yaml:4: users[0].user.token must be text, not a number; put it in quotes",
    ],
    [
      "contexts:\n- name: a\n  context:\n    namespace: no",
      "f.yaml:4: contexts[0].context.namespace must be text, not true or false; put it in quotes",
    ],
    [
      'clusters:\n- name: a\n  cluster:\n    insecure-skip-tls-verify: "yes"',
      "f.yaml:4: clusters[0].cluster.insecure-skip-tls-verify must be true or false, not text",
    ],
    ["\nclusters: {}", "f.yaml:2: clusters must be a list, not a map"],
    ["hello", "f.yaml:1: the document must be a map, not text"],
    [
      "users:\n- name: a\n  user:\n    client-key-data: /etc/key.pem",
      "f.yaml:4: users[0].user.client-key-data is not base64; when it is a file's path, the field's name has no -data at the end",
    ],
    [
      "clusters:\n- {name: a}\n- {name: a}",
      'f.yaml:3: clusters[1].name is "a", and so is an earlier cluster\'s; give one of them another name',
    ],
    [
      "users:\n- name: a\n  user:\n    exec: {args: []}",
      "f.yaml:4: users[0].user.exec has no command; name the program that prints the credentials",
    ],
    ["apiVersion: v2", "f.yaml:1: apiVersion must be v1, not v2"],
    ["apiVersion: v1\nkind: Pod", "f.yaml:2: kind must be Config, not Pod: this is not a kubeconfig"],
  ])("%j", (text, message) => {
    expect(() => parseKubeconfig(text, "f.yaml")).toThrow(
      expect.objectContaining({ name: "KubeconfigError", message }),
    );
  });

  test.each(["a: [", "a: b: c", "a: *nowhere"])("%j is not YAML", (text) => {
    expect(() => parseKubeconfig(text, "f.yaml")).toThrow(/^f\.yaml.*: this is not YAML/);
  });
});
