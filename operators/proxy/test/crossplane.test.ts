import fc from "fast-check";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { describeWith } from "../../../test/components/index.js";
import { block, type Directive } from "../nginx/directive.js";
import { anyDirective } from "../nginx/fixtures/any-directive.js";
import { configuration, http, paths } from "../nginx/fixtures/configurations.js";
import { meaningOf, meaningOfStatements } from "../nginx/fixtures/statements.js";
import type { Statement } from "../nginx/fixtures/tokenizer.js";
import { RefusedValue } from "../nginx/refusal.js";
import { generationFile, render, renderDirectives } from "../nginx/render.js";
import { serialize } from "../nginx/serialize.js";
import type { ProxyConfiguration } from "../translate/configuration.js";
import { crossplane, type ParsedDirective } from "./crossplane.js";
import { allFeatures } from "./fixtures/all-features.js";
import { hostileCases, hostileConfiguration } from "./fixtures/hostile-values.js";
import { configurationWith, manyRules } from "./fixtures/many-rules.js";
import { randomServers } from "./fixtures/random-rules.js";
import { writeFiles } from "./fixtures/rendered-nginx.js";

/** Statements as our own tokenizer has them. crossplane leaves escaped backslashes as they are, and the parentheses of `if` out. */
function statements(parsed: readonly ParsedDirective[]): readonly Statement[] {
  return parsed.map(({ directive, args, block: content }) => {
    const words = args.map((one) => one.replaceAll("\\\\", "\\"));
    return {
      words: [directive.replaceAll("\\\\", "\\"), ...(directive === "if" ? ["(", ...words, ")"] : words)],
      block: content === undefined ? undefined : statements(content),
    };
  });
}

async function parsed(
  files: ReadonlyMap<string, string>,
  options?: { readonly isChecked: boolean },
): Promise<ReadonlyMap<string, readonly Statement[]>> {
  const folder = mkdtempSync(join(tmpdir(), "fettle-px-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFiles(folder, files);
  const all = await crossplane.parse(folder, options);
  return new Map([...all].map(([file, content]) => [file, statements(content)]));
}

async function expectSame(configuration: ProxyConfiguration): Promise<void> {
  const { files } = render(configuration, paths);
  const read = await parsed(new Map([...files, ["generation.conf", generationFile(7)]]));
  const expected = renderDirectives(configuration, paths);
  expect([...read.keys()].sort()).toEqual([...expected.keys(), "generation.conf"].sort());
  for (const [file, directives] of expected)
    expect(meaningOfStatements(read.get(file) ?? [])).toEqual(meaningOf(directives));
}

describeWith("crossplane", crossplane, () => {
  test("reads the configuration with all features as it was meant", async () => {
    await expectSame(await allFeatures({ http: 80, tls: 443 }, () => 8080));
  });

  test("reads a configuration with hostile values as it was meant", async () => {
    const accepted = hostileCases.filter(({ refusal }) => refusal === undefined);
    await expectSame(
      hostileConfiguration(
        accepted.map(({ server }) => server),
        80,
        8080,
      ),
    );
  });

  test("reads rules at random as they were meant", async () => {
    await expectSame(configuration([http(80, randomServers)], []));
  });

  test.each(Object.keys(manyRules))(
    "reads a configuration with many %s as it was meant",
    { timeout: 180_000 },
    async (kind) => {
      await expectSame(configurationWith(kind, { http: 80, tls: 443 }));
    },
  );

  test("reads arbitrary directives as they were meant", async () => {
    const directives = fc.sample(anyDirective(3), { numRuns: 500, seed: 7 }).filter(isAccepted);
    expect(directives.length).toBeGreaterThan(100);
    const content = [block("http", [], directives)];
    const read = await parsed(new Map([["nginx.conf", serialize(content).text]]), { isChecked: false });
    expect(meaningOfStatements(read.get("nginx.conf") ?? [])).toEqual(meaningOf(content));
  });
});

function isAccepted(one: Directive): boolean {
  try {
    serialize([one]);
    return true;
  } catch (error) {
    if (error instanceof RefusedValue) return false;
    throw error;
  }
}
