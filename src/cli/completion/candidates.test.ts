import { expect, test } from "vitest";
import { candidates, type CompletionServer } from "./candidates.js";
import { commandGroups } from "../commands/index.js";

const requests: Readonly<Record<string, string>>[] = [];
const serverOf = (options: Readonly<Record<string, string>>): CompletionServer => {
  requests.push(options);
  return {
    kinds: async () => [{ word: "sites", summary: "Site" }, { word: "services" }, { word: "pages" }],
    names: async (kind) =>
      kind.startsWith("site") ? ["hello", "help", "other"] : kind === "namespaces" ? ["default", "demo"] : [],
    contexts: async () => ["here", "there"],
  };
};

const words = async (...typed: readonly string[]): Promise<readonly string[] | "files"> => {
  const found = await candidates(typed, commandGroups, serverOf);
  return found === "files" ? found : found.map(({ word }) => word);
};

test.each([
  [["conf"], ["config"]],
  [["help", "comp"], ["completion"]],
  [
    ["get", "s"],
    ["sites", "services"],
  ],
  [
    ["get", "sites", "hel"],
    ["hello", "help"],
  ],
  [["get", "sites", "hello", "hel"], ["help"]],
  [["get", "-n", "demo", "sites", "o"], ["other"]],
  [
    ["why", "site/he"],
    ["site/hello", "site/help"],
  ],
  [["why", "site", "ot"], ["other"]],
  [["up", "--no"], ["--no-tls"]],
  [
    ["up", "--log", ""],
    ["pretty", "json", "none"],
  ],
  [["up", "--log=js"], ["--log=json"]],
  [
    ["completion", ""],
    ["bash", "zsh", "fish", "candidates"],
  ],
  [["completion", "bash", ""], []],
  [["--v"], ["--version"]],
  [["get", "pages,si"], ["pages,sites"]],
  [
    ["get", "-n", "de"],
    ["default", "demo"],
  ],
  [["get", "--namespace=dem"], ["--namespace=demo"]],
  [["get", "--context", "t"], ["there"]],
  [
    ["get", "-o", "j"],
    ["json", "jsonpath="],
  ],
  [
    ["why", "-o", ""],
    ["json", "yaml"],
  ],
  [
    ["events", "--for", "site/he"],
    ["site/hello", "site/help"],
  ],
  [["events", "site", "ot"], ["other"]],
  [["debug", "events", "--kind", "p"], ["pages"]],
  [["dead", "re"], ["retry"]],
  [["dead", "retry", "site", "ot"], ["other"]],
  [["describe", "site/hello", "pa"], ["pages"]],
  [["why", "site/hello", ""], []],
  [["frobnicate", ""], []],
])("%j → %j", async (typed, expected) => {
  expect(await words(...typed)).toEqual(expected);
});

test.each([
  [["up", ""]],
  [["up", "a.ts", "b"]],
  [["run", "x"]],
  [["up", "--config", ""]],
  [["apply", "-f", ""]],
])("%j is completed with files", async (typed) => {
  expect(await words(...typed)).toBe("files");
});

test("requests candidates from the server that the options name", async () => {
  requests.length = 0;
  await words("get", "--kubeconfig=there.yaml", "-n", "demo", "sites", "");
  expect(requests).toEqual([{ kubeconfig: "there.yaml", namespace: "demo" }]);
});

test("arguments of a command for some kinds are completed with their objects", async () => {
  const load = async () => ({
    arguments: "<object...>",
    kinds: ["process", "processset"],
    description: "",
    examples: [],
  });
  const groups = [{ title: "Operators", commands: [{ name: "logs", summary: "", load }] }];
  const server: CompletionServer = {
    kinds: async () => [],
    contexts: async () => [],
    names: async (kind) => (kind === "process" ? ["web", "proxy"] : ["workers"]),
  };
  const words = async (...line: string[]) => {
    const found = await candidates(["logs", ...line], groups, () => server);
    return found === "files" ? found : found.map(({ word }) => word);
  };
  expect(await words("")).toEqual(["web", "proxy", "processset/workers"]);
  expect(await words("web", "")).toEqual(["proxy", "processset/workers"]);
  expect(await words("pro")).toEqual(["process/web", "proxy", "process/proxy", "processset/workers"]);
  expect(await words("process/w")).toEqual(["process/web"]);
});
