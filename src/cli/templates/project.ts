/** Names and versions for a new project. */
export interface ProjectNames {
  readonly name: string;
  readonly group: string;
  /** Path of a tarball of fettle in the project, which `versions.fettle` refers to. */
  readonly tarball?: string | undefined;
  /** Exact versions by package; that of fettle may also be a URL or a `file:` path. */
  readonly versions: {
    readonly fettle: string;
    readonly zod: string;
    readonly typescript: string;
    readonly "@types/node": string;
  };
}

/** Files of a new project, without those of its first kind. */
export function projectFiles({
  name,
  group,
  versions,
  tarball,
}: ProjectNames): Readonly<Record<string, string>> {
  const { fettle, zod, ...tools } = versions;
  return {
    "package.json": json({
      name,
      version: "0.1.0",
      private: true,
      type: "module",
      scripts: {
        dev: "fettle up --watch",
        build: "tsc",
        pretest: "tsc",
        test: "node test.js",
        manifests: "fettle generate manifests -o deploy",
      },
      dependencies: { fettle, zod },
      devDependencies: { "@types/node": tools["@types/node"], typescript: tools.typescript },
      engines: { node: ">=20" },
    }),
    "tsconfig.json": json({
      compilerOptions: {
        target: "es2023",
        lib: ["es2023", "esnext.disposable"],
        module: "nodenext",
        types: ["node"],
        strict: true,
        noUncheckedIndexedAccess: true,
        verbatimModuleSyntax: true,
        rewriteRelativeImportExtensions: true,
        skipLibCheck: true,
        rootDir: "src",
        outDir: "dist",
      },
      include: ["src"],
    }),
    "src/index.ts": `// Everything exported here is run by fettle up and fettle run.\nexport * from "./greeting.ts";\n`,
    "test.js": testRunner,
    "fettle.yaml": `# Modules that fettle up and fettle run load. All settings: fettle config
modules:
  - src/index.ts
`,
    ".gitignore": "node_modules/\ndist/\n.fettle/\n*.backup.gz\n",
    ".dockerignore": "node_modules/\ndist/\n.fettle/\n*.backup.gz\n.git/\n",
    Dockerfile: dockerfile(tarball),
    "README.md": readme({ name, group, tarball }),
  };
}

/** Node 20 does not expand glob patterns, and neither do some shells. */
const testRunner = `// Runs dist/*.test.js.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";

const tests = readdirSync("dist").filter((name) => name.endsWith(".test.js"));
const files = tests.map((name) => \`dist/\${name}\`);
process.exitCode = spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" }).status ?? 1;
`;

function dockerfile(tarball: string | undefined): string {
  return `FROM node:22-slim AS build
WORKDIR /app
COPY package*.json ./
${tarball === undefined ? "" : `COPY ${tarball} ${tarball}\n`}RUN npm install
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:22-slim
ENV NODE_ENV=production FETTLE_DATA=/data FETTLE_LOG=json
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
RUN mkdir -m 700 /data && chown node:node /data
USER node
# As an operator on Kubernetes the same image runs "run dist/index.js": see fettle generate manifests.
ENV FETTLE_HOST=0.0.0.0
EXPOSE 7700
VOLUME /data
ENTRYPOINT ["node_modules/.bin/fettle"]
CMD ["up", "dist/index.js"]
`;
}

function readme({ name, group, tarball }: Omit<ProjectNames, "versions">): string {
  return `# ${name}

A control plane with one kind, \`Greeting\` (\`${group}/v1\`), and the controller that reconciles it.

\`\`\`sh
npm install
npm test                          # src/*.test.ts, on an in-memory control plane
npm run dev                       # start it; restart when a file changes
npx fettle apply -f examples/hello.yaml
npx fettle get greetings
npx fettle why greeting/hello     # what the controller did and why
\`\`\`

| | |
|---|---|
| \`src/greeting.ts\` | the kind and its controller |
| \`src/index.ts\` | the exported controllers and kinds |
| \`fettle.yaml\` | configuration |
| \`test.js\` | runs the tests |
${tarball === undefined ? "" : `| \`${tarball}\` | the fettle that \`package.json\` depends on: commit it, so that other machines and image builds install the same one |\n`}| \`npx fettle add kind Site\` | adds a kind with a controller and a test |
| \`npx fettle generate manifests -o deploy\` | generates the manifests to run it as an operator on Kubernetes |
| \`docker build -t ${name} .\` | builds its image |
`;
}

function json(content: object): string {
  return `${JSON.stringify(content, undefined, 2)}\n`;
}
