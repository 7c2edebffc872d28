// The layers of ARCHITECTURE.md as a lint rule: what each folder below src/ may import, besides itself.
const layers = {
  model: [],
  store: ["model"],
  server: ["model", "store"],
  client: ["model"],
  runtime: ["model", "client"],
  events: ["model", "client", "runtime"],
  plane: ["model", "store", "server", "client", "runtime", "events"],
  testing: ["model", "store", "server", "client", "runtime", "events", "plane"],
  cli: ["model", "store", "server", "client", "runtime", "events", "plane"],
};

// Folders inside a layer, lowest first: each may import only from those before it. Files at the root of a layer are the top,
// unless "." gives them another place; index.ts is the top in any case.
export const folders = {
  store: [".", "watch", "memory", "sqlite", "conformance"],
  client: ["kinds", "async", "transport", "kubeconfig", "source", "informer", "polling"],
  runtime: [
    "log",
    "cancel",
    "transport",
    "queue",
    "breaker",
    "health",
    "controller",
    "runs",
    "schedule",
    "recorder",
    "lease",
    "leader",
    "shard",
    "observe",
    "performance",
    "reconcile",
    "plan",
    "loop",
    "start",
  ],
  model: [
    "object",
    "errors",
    "time",
    "schema",
    "apply",
    "regex",
    "formats",
    "cel",
    "conditions",
    "selector",
    "patch",
    "diff",
    "glob",
    "cloud-events",
    "resource",
    "structural",
  ],
  server: [
    "event-loop",
    "access",
    "resources",
    "admission",
    "output-formats",
    "kinds",
    "custom-resources",
    "decode",
    "registry",
    "request",
    "controllers",
    "discovery",
    "openapi",
    "http",
  ],
  plane: [
    "runs",
    "pauses",
    "peers",
    "config",
    "state",
    "backup",
    "definitions",
    "stored",
    "monitoring",
    "events",
    "management",
    "debug",
    "routes",
    "operators",
  ],
  cli: [
    "command",
    "templates",
    "terminal",
    "server",
    "objects",
    "manifests",
    "output",
    "completion",
    "modules",
    "operators",
    "up",
    "run",
    "commands",
  ],
  events: [".", "types", "object", "log", "state", "bus", "encode", "pipeline", "sinks", "plugins"],
  testing: ["api", "time", "events", "perturb"],
};

// The same for folders inside folders. Files beside them may be imported from all of them: they have shared types, and the code
// that puts the folders together.
export const nestedFolders = {
  "cli/commands": [
    "backup",
    "debug",
    "delete",
    "edit",
    "explain",
    "generate",
    "get",
    "plan",
    "top",
    "tree",
    "verify",
    "wait",
  ],
  "client/informer": ["cache", "reflector"],
  "client/kubeconfig": ["credentials", "exec", "proxy"],
  "client/transport/http": ["responses", "wire", "calls", "watch"],
  "model/apply": ["fields", "typed"],
  "model/cel": ["types", "values", "libraries", "syntax", "check", "cost", "run", "rules"],
  "plane/management": ["controllers", "plan", "runs", "store", "top"],
  "plane/routes": ["websocket", "rest", "debug"],
  "runtime/observe": ["findings", "metrics"],
  "runtime/reconcile": ["children", "object", "steps"],
  "server/custom-resources": ["serving", "validation"],
  "server/http": [
    "files",
    "auth",
    "limits",
    "metrics",
    "request",
    "response",
    "socket",
    "paths",
    "tls",
    "watch",
  ],
  "server/kinds": ["api-types", "idl", "schema", "typed", "protobuf", "strategy"],
  "server/kinds/strategy": ["access", "cluster", "network", "pods", "storage", "workloads"],
  "server/registry": ["read", "write", "pods"],
  "store/sqlite": ["integrity", "salvage"],
};

/** Deepest nesting of folders below a layer's folder that the rule covers. */
const maxDepth = 4;

const tests = ["**/*.test.ts", "**/*.test-d.ts"];

const restrict = (files, patterns, excludeFiles = tests) => ({
  files,
  excludeFiles,
  rules: { "no-restricted-imports": ["error", { patterns }] },
});

const layerRule = Object.entries(layers).flatMap(([layer, below]) => {
  const forbidden = Object.keys(layers).filter((other) => other !== layer && !below.includes(other));
  const may = below.length > 0 ? `only from ${below.join(", ")}` : "from no other layer";
  const patterns = [
    {
      regex: `^(\\.\\./)+(${forbidden.join("|")})(/|$)`,
      message: `src/${layer} may import ${may} (ARCHITECTURE.md, "Layers").`,
    },
    {
      regex: "^fettle(/|$)|^(\\.\\./)+index\\.js$",
      message: "Inside src/ import the file itself, not the package's facade.",
    },
  ];
  if (layer === "model") {
    patterns.push({ regex: "^node:", message: "src/model is pure: no I/O, no Node modules." });
  }
  // Where several rules apply to a file the last one wins, so those of nested folders come last and repeat the others.
  const parents = [layer, ...Object.keys(nestedFolders).filter((path) => path.startsWith(`${layer}/`))];
  const ordered = parents.flatMap((parent) =>
    orderOf(parent).flatMap((folder) => (folder === "." ? [] : folderRules(`${parent}/${folder}`, patterns))),
  );
  return [restrict([`src/${layer}/**/*.ts`], patterns)].concat(ordered);
});

function orderOf(parent) {
  return folders[parent] ?? nestedFolders[parent] ?? [];
}

/** One rule per depth, so that `../queue/` in a nested folder is not mistaken for the layer's own `queue`. */
function folderRules(path, patterns) {
  const parts = path.split("/");
  return Array.from({ length: maxDepth }, (_, depth) =>
    restrict(
      [`src/${path}/${"*/".repeat(depth)}*.ts`],
      patterns.concat(
        parts.slice(1).flatMap((folder, index) => {
          const parent = parts.slice(0, index + 1).join("/");
          if (orderOf(parent).length === 0) return [];
          const regex = `^(\\.\\./){${parts.length - index - 1 + depth}}(${above(parent, folder)})`;
          const message = `src/${parent}/${folder} may import only from folders listed before it (oxlint.config.mjs, "folders").`;
          return [{ regex, message }];
        }),
      ),
      // Fixtures may put a whole layer together.
      tests.concat("**/fixtures/**"),
    ),
  );
}

/** What a folder must not import, relative to its parent. */
function above(parent, folder) {
  const order = orderOf(parent);
  const later = order.slice(order.indexOf(folder) + 1).map((other) => `${other}/`);
  if (parent in nestedFolders) return [...later, "index\\.js$"].join("|");
  return [...later, order.includes(".") ? "index\\.js$" : "[^/]+\\.js$"].join("|");
}

const operatorRule = restrict(
  ["operators/**/*.ts"],
  [
    {
      regex: "^(\\.\\./)+(src|dist|test|bench|examples)(/|$)",
      message:
        "Operators import only what users can import: fettle, its subpaths, and other operators by name.",
    },
  ],
  [...tests, "operators/*/test/**"],
);

export default {
  plugins: ["typescript", "unicorn", "oxc", "import", "vitest", "promise", "node"],
  categories: { correctness: "error", suspicious: "error", perf: "error" },
  options: { typeAware: true },
  ignorePatterns: ["dist", ".cache"],
  rules: {
    "typescript/no-explicit-any": "error",
    "typescript/no-non-null-assertion": "error",
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/consistent-type-imports": "error",
    "import/no-cycle": "error",
    // At a boundary (a row, a message, JSON) the type is what we know of the other side; the rule has no word for that.
    "typescript/no-unsafe-type-assertion": "off",
    // The compiler checks it where it matters.
    "typescript/consistent-return": "off",
    // One batch after another is what stores, queues and tests are about.
    "no-await-in-loop": "off",
    "no-shadow": "off",
    // Functions stand where they are read, and a message to a worker thread has no origin.
    "unicorn/consistent-function-scoping": "off",
    "unicorn/require-post-message-target-origin": "off",
    // It does not see changes made in a closure.
    "no-unmodified-loop-condition": "off",
    // Suites that are made elsewhere (conformance, tables) look empty and untitled to these.
    "vitest/expect-expect": "off",
    "vitest/valid-title": "off",
    "vitest/no-conditional-expect": "off",
    "vitest/no-standalone-expect": "off",
    "vitest/valid-expect": ["error", { maxArgs: 2 }],
    "no-underscore-dangle": "off",
    "import/no-unassigned-import": "off",
    "import/no-named-as-default-member": "off",
    "unicorn/no-array-sort": "off",
    "unicorn/no-array-reverse": "off",
  },
  overrides: [
    ...layerRule,
    operatorRule,
    {
      // Time and randomness are handed in, so that everything in the model can be replayed.
      files: ["src/model/**/*.ts"],
      excludeFiles: ["**/*.test.ts", "src/model/time/clock.ts", "src/model/object/random.ts"],
      rules: {
        "no-restricted-globals": [
          "error",
          "setTimeout",
          "setInterval",
          "setImmediate",
          "performance",
          "crypto",
        ],
        "no-restricted-properties": [
          "error",
          { object: "Date", property: "now", message: "Take a Clock." },
          { object: "Math", property: "random", message: "Take a Random." },
        ],
      },
    },
  ],
};
