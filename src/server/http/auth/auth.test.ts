import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync, chmodSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { CredentialsError, ensureCredentials } from "./credentials.js";
import { kubeconfig, writeKubeconfig } from "./kubeconfig.js";
import { parseTokenFile, TokenFile, TokenFileError } from "./token-file.js";
import { combineTokenSources, StaticTokens } from "./tokens.js";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fettle-auth-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

describe("token file", () => {
  test("parses token, user, uid and groups of each line", () => {
    const text =
      'abc,alice,1001,"admins,system:masters"\r\n\n# no comment,bob,2\n"quoted ""token""",carol,,one\n';
    expect(() => parseTokenFile(text, "f")).toThrow("token file f, line 3: the token contains whitespace");
    expect(parseTokenFile(text.replace("# no comment", "def").replace("quoted ", ""), "f")).toEqual([
      { token: "abc", user: { name: "alice", uid: "1001", groups: ["admins", "system:masters"] } },
      { token: "def", user: { name: "bob", uid: "2", groups: [] } },
      { token: '"token"', user: { name: "carol", uid: "", groups: ["one"] } },
    ]);
  });

  test.each([
    ["abc,alice", "line 1: must have at least 3 columns (token, user name, user uid), found 2"],
    ["abc,alice,1,a,b", 'line 1: has 5 columns; put several groups into quotes: "group1,group2"'],
    [",alice,1", "line 1: the token is empty"],
    ["abc,,1", "line 1: the user name is empty"],
    ["a,b,c\na,d,e", "line 2: the token is the same as in line 1"],
    ['a,b,"c', "line 1: unclosed quote"],
    ['a,b,c"d"', "line 1: quote inside an unquoted field; quote the whole field"],
    ['a,b,"c"d', 'line 1: text after a closing quote; write a quote inside a field as ""'],
  ])("rejects %j with line and reason", (text, message) => {
    expect(() => parseTokenFile(text, "f")).toThrow(`token file f, ${message}`);
  });

  test("does not include tokens in errors", () => {
    for (const text of ["secret-token,alice", 'secret-token,"a', "secret-token,a,b\nsecret-token,c,d"]) {
      expect(() => parseTokenFile(text, "f")).toThrow(
        expect.objectContaining({ message: expect.not.stringContaining("secret") }),
      );
    }
  });

  test("reads the file again when it changes", async () => {
    const path = join(folder, "tokens.csv");
    writeFileSync(path, "one,alice,1\n");
    let reloaded: () => void = () => {};
    let failed: (error: unknown) => void = () => {};
    const tokens = new TokenFile(path, {
      interval: 5,
      onReload: () => reloaded(),
      onError: (error) => failed(error),
    });
    try {
      expect(tokens.find("one")?.name).toBe("alice");
      const before = tokens.generation;
      await new Promise<void>((resolve) => {
        reloaded = resolve;
        writeFileSync(path, "two,bob,2\nthree,carol,3\n");
      });
      expect(tokens.find("one")).toBeUndefined();
      expect(tokens.find("two")?.name).toBe("bob");
      expect(tokens.generation).toBeGreaterThan(before);
      const error = await new Promise((resolve) => {
        failed = resolve;
        writeFileSync(path, "broken\n");
      });
      expect(String(error)).toContain("must have at least 3 columns");
      expect(tokens.find("two")?.name).toBe("bob");
    } finally {
      tokens.close();
    }
  });

  test("refuses a file that others may change, and warns of one that they may read", () => {
    const path = join(folder, "shared.csv");
    writeFileSync(path, "one,alice,1\n");
    const warnings: string[] = [];
    const read = (mode: number): void => {
      chmodSync(path, mode);
      new TokenFile(path, { onWarning: (text) => warnings.push(text) }).close();
    };
    for (const mode of [0o620, 0o602, 0o666]) {
      expect(() => read(mode)).toThrow(`${path} can be changed by other users; run: chmod 600 ${path}`);
    }
    read(0o600);
    expect(warnings).toEqual([]);
    read(0o640);
    read(0o604);
    expect(warnings).toEqual(
      Array(2).fill(expect.stringContaining("can be read by other users; run: chmod 600")),
    );
  });

  test("throws when the file does not exist", () => {
    expect(() => new TokenFile(join(folder, "none"))).toThrow(TokenFileError);
    expect(() => new TokenFile(join(folder, "none"))).toThrow(/token file .*none cannot be read: ENOENT/);
  });
});

describe("tokens", () => {
  test("matches complete tokens only", () => {
    const tokens = new StaticTokens([{ token: "abc", user: { name: "alice", groups: ["a"] } }]);
    expect(tokens.find("abc")).toEqual({ name: "alice", groups: ["a", "system:authenticated"] });
    for (const token of ["", "ab", "abcd", "ABC", "__proto__"]) expect(tokens.find(token)).toBeUndefined();
  });

  test("prefers the first of several sources", () => {
    const one = new StaticTokens([{ token: "a", user: { name: "first", groups: [] } }]);
    const two = new StaticTokens([
      { token: "a", user: { name: "second", groups: [] } },
      { token: "b", user: { name: "third", groups: [] } },
    ]);
    const both = combineTokenSources(one, two);
    expect(both.find("a")?.name).toBe("first");
    expect(both.find("b")?.name).toBe("third");
    const { generation } = both;
    two.set([]);
    expect(both.find("b")).toBeUndefined();
    expect(both.generation).not.toBe(generation);
  });
});

describe("credentials", () => {
  test("creates the token once, readable by its owner only", async () => {
    const first = await ensureCredentials(folder);
    expect(first.token).toMatch(/^[\w-]{43}$/);
    expect(first.user.groups).toContain("system:masters");
    const path = join(folder, "auth", "admin-token");
    expect(modeOf(join(folder, "auth"))).toBe("700");
    expect(modeOf(path)).toBe("600");
    expect(readdirSync(join(folder, "auth"))).toEqual(["admin-token"]);
    chmodSync(path, 0o644);
    expect(await ensureCredentials(folder)).toEqual(first);
    expect(modeOf(path)).toBe("600");
  });

  test("returns the same token to concurrent starts", async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => ensureCredentials(folder)));
    expect(new Set(all.map(({ token }) => token)).size).toBe(1);
  });

  test("throws for an invalid token file", async () => {
    await ensureCredentials(folder);
    writeFileSync(join(folder, "auth", "admin-token"), "short\n");
    await expect(ensureCredentials(folder)).rejects.toThrow(CredentialsError);
  });
});

describe("kubeconfig", () => {
  test("contains server, CA and token", () => {
    const text = kubeconfig({ server: "https://127.0.0.1:6443", token: "abc", ca: "PEM" });
    expect(parse(text)).toEqual({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "fettle",
      clusters: [
        {
          name: "fettle",
          cluster: {
            server: "https://127.0.0.1:6443",
            "certificate-authority-data": Buffer.from("PEM").toString("base64"),
          },
        },
      ],
      users: [{ name: "fettle", user: { token: "abc" } }],
      contexts: [{ name: "fettle", context: { cluster: "fettle", user: "fettle" } }],
      preferences: {},
    });
  });

  test("is rewritten, readable by its owner only", async () => {
    const path = join(folder, "kubeconfig");
    await writeKubeconfig(path, { server: "http://127.0.0.1:1", token: "a" });
    await writeKubeconfig(path, { server: "http://127.0.0.1:2", token: "b" });
    expect(modeOf(path)).toBe("600");
    expect(readFileSync(path, "utf8")).toContain("http://127.0.0.1:2");
    expect(readdirSync(folder)).toEqual(["kubeconfig"]);
  });

  test("is kept when nothing changed, so that a start on a full disk needs no space", async () => {
    const path = join(folder, "kubeconfig");
    const options = { server: "https://127.0.0.1:6443", token: "the-token-of-the-administrator" };
    await writeKubeconfig(path, options);
    const { ino } = statSync(path);
    chmodSync(path, 0o644);
    await writeKubeconfig(path, options);
    expect(statSync(path).ino).toBe(ino);
    expect(modeOf(path)).toBe("600");
  });

  test("does not overwrite a file that fettle did not write", async () => {
    const path = join(folder, "config");
    writeFileSync(path, "apiVersion: v1\n");
    await expect(writeKubeconfig(path, { server: "x", token: "y" })).rejects.toThrow(
      "was not written by fettle and is not overwritten",
    );
    expect(readFileSync(path, "utf8")).toBe("apiVersion: v1\n");
  });
});
