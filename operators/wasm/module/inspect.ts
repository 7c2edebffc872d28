import { createHash } from "node:crypto";
import { importableFunctions } from "./abi.js";
import { BinaryReader, MalformedModule, sectionIds, sections, type MemoryLimits } from "./binary.js";
import { maxTableElements, pageBytes } from "./memory-limit.js";

/** Digest of a module, as Application and Module have it: `sha256:` and hexadecimal digits. */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** Content of a module that decides where it can run. */
export interface ModuleFacts {
  readonly digest: string;
  readonly size: number;
  readonly imports: readonly ModuleImport[];
  readonly exports: readonly { readonly name: string; readonly kind: ExternalKind }[];
  /** Memories that it defines itself. */
  readonly memories: readonly MemoryLimits[];
  readonly tables: readonly Pick<MemoryLimits, "minimum" | "maximum">[];
  /** Whether all of its types are functions, and none are objects of the garbage collector. */
  readonly hasOnlyFunctionTypes: boolean;
  /** Size of the section that fills tables. */
  readonly elementBytes: number;
}

export interface ModuleImport {
  readonly module: string;
  readonly name: string;
  readonly kind: ExternalKind;
}

const externalKinds = ["function", "table", "memory", "global", "tag"] as const;
export type ExternalKind = (typeof externalKinds)[number];

/** Reason why a module cannot run on a device. The message is a sentence with the way out. */
export interface ModuleProblem {
  readonly reason: "InvalidModule" | "MemoryLimit";
  readonly message: string;
}

export interface ModuleLimits {
  /** Memory of the module. */
  readonly memoryBytes: number;
  /** Size of the module itself. */
  readonly maxBytes: number;
}

/** Default for the size of a module. */
export const maxModuleBytes = 64 * 1024 * 1024;

/**
 * Reads imports, exports and memories of a module.
 *
 * @throws {MalformedModule} if the bytes are not a core module.
 */
export function inspectModule(bytes: Uint8Array): ModuleFacts {
  const problem = headerProblem(bytes);
  if (problem !== undefined) throw new MalformedModule(problem);
  const imports: ModuleImport[] = [];
  const exports: ModuleFacts["exports"][number][] = [];
  const memories: MemoryLimits[] = [];
  const tables: MemoryLimits[] = [];
  let hasOnlyFunctionTypes = true;
  let elementBytes = 0;
  for (const section of sections(bytes)) {
    const reader = new BinaryReader(bytes, section.contentStart, section.end);
    const repeat = (read: () => void): void => {
      for (let left = reader.u32(); left > 0; left--) read();
    };
    if (section.id === sectionIds.type) hasOnlyFunctionTypes = readTypes(reader);
    if (section.id === sectionIds.element) elementBytes = section.end - section.contentStart;
    if (section.id === sectionIds.table) {
      repeat(() => {
        reader.valueType();
        tables.push(reader.limits());
      });
    }
    if (section.id === sectionIds.import) repeat(() => imports.push(readImport(reader)));
    if (section.id === sectionIds.memory) repeat(() => memories.push(reader.limits()));
    if (section.id === sectionIds.export) {
      repeat(() => {
        exports.push({ name: reader.name(), kind: kindOf(reader.byte()) });
        reader.u32();
      });
    }
  }
  const contents = { imports, exports, memories, tables, hasOnlyFunctionTypes, elementBytes };
  return { digest: digestOf(bytes), size: bytes.length, ...contents };
}

/**
 * Checks whether a device can run a module; undefined if it can. Does not execute any of it.
 *
 * @example
 * checkModule(bytes, { memoryBytes: 16 * 1024 * 1024, maxBytes: maxModuleBytes })?.message;
 * // "The module asks for 1 GiB of memory at its start; the limit is 16 MiB: raise spec.limits.memory."
 */
export function checkModule(bytes: Uint8Array, limits: ModuleLimits): ModuleProblem | undefined {
  if (bytes.length > limits.maxBytes) {
    return invalid(
      `The module has ${formatBytes(bytes.length)}; at most ${formatBytes(limits.maxBytes)} can be sent to a device. ` +
        "Remove debugging information, for instance with wasm-strip.",
    );
  }
  const header = headerProblem(bytes);
  if (header !== undefined) return invalid(header);
  const engine = engineProblem(bytes);
  if (engine !== undefined) return invalid(`The module is malformed: ${engine}. Compile it again.`);
  let facts: ModuleFacts;
  try {
    facts = inspectModule(bytes);
  } catch (error) {
    if (!(error instanceof MalformedModule)) throw error;
    return invalid(`The module is malformed: ${error.message}. Compile it again.`);
  }
  return importProblem(facts) ?? exportProblem(facts) ?? heapProblem(facts) ?? memoryProblem(facts, limits);
}

function headerProblem(bytes: Uint8Array): string | undefined {
  const [, , , , version, high, layer] = bytes;
  if (bytes.length === 0) return "The module is empty.";
  if (Buffer.from(bytes.subarray(0, 4)).toString("latin1") !== "\0asm" || bytes.length < 8) {
    const first = Buffer.from(bytes.subarray(0, 8)).toString("hex");
    return `The bytes are not WebAssembly: they begin with ${first}, and not with 0061736d. Use the .wasm file that the compiler wrote.`;
  }
  if (layer === 1) {
    return (
      "The bytes are a WebAssembly component; devices run core modules with WASI preview 1. " +
      "Compile for wasm32-wasip1, and not for wasm32-wasip2."
    );
  }
  if (version !== 1 || high !== 0) {
    return `The module has version ${version} of WebAssembly; only version 1 is supported.`;
  }
  return undefined;
}

/** Message of the engine, without the name of the function that was called. */
function engineProblem(bytes: Uint8Array): string | undefined {
  if (WebAssembly.validate(bytes)) return undefined;
  try {
    void new WebAssembly.Module(bytes);
    return "the engine refuses it";
  } catch (error) {
    return (error as Error).message.replace(/^WebAssembly\.Module\(\): /, "");
  }
}

function importProblem({ imports }: ModuleFacts): ModuleProblem | undefined {
  for (const { module, name, kind } of imports) {
    const known = Object.hasOwn(importableFunctions, module) ? importableFunctions[module] : undefined;
    const what = `The module imports ${kind} ${module}.${name}`;
    if (known === undefined) {
      const way = module.startsWith("wasi") ? "Compile for wasm32-wasip1." : "Compile it for WASI preview 1.";
      return invalid(`${what}; devices have only wasi_snapshot_preview1 and fettle. ${way}`);
    }
    if (kind !== "function") return invalid(`${what}; devices have only functions. Define it in the module.`);
    if (!known.has(name)) {
      const names = module === "fettle" ? `: ${[...known].join(", ")}` : "";
      return invalid(`${what}, which does not exist. Use the functions that devices have${names}.`);
    }
  }
  return undefined;
}

function exportProblem({ exports }: ModuleFacts): ModuleProblem | undefined {
  const has = (name: string, kind: ExternalKind): boolean =>
    exports.some((each) => each.name === name && each.kind === kind);
  if (!has("_start", "function")) {
    return invalid("The module exports no function _start. Compile it as a program, and not as a library.");
  }
  if (!has("memory", "memory")) return invalid('The module exports no memory. Export it as "memory".');
  return undefined;
}

/**
 * Refuses modules that could fill the heap of the engine, for which there is no limit that spares the process of the agent: see
 * {@link maxTableElements}.
 */
function heapProblem(facts: ModuleFacts): ModuleProblem | undefined {
  const { imports, exports, tables, hasOnlyFunctionTypes, elementBytes } = facts;
  if (!hasOnlyFunctionTypes) {
    return invalid("The module uses objects of the garbage collector. Compile it for WebAssembly 2.0.");
  }
  const most = Math.floor(maxTableElements / Math.max(1, tables.length));
  const table = tables.find(({ minimum }) => minimum > most);
  if (table !== undefined || elementBytes > maxElementBytes) {
    const size =
      table === undefined ? `${formatBytes(elementBytes)} of elements` : `${table.minimum} elements`;
    return invalid(`The module has a table with ${size}; at most ${most} elements are supported.`);
  }
  if (imports.length > maxNames || exports.length > maxNames) {
    return invalid(`The module has more than ${maxNames} imports or exports. Export only _start and memory.`);
  }
  return undefined;
}

const maxElementBytes = 1 << 20;
const maxNames = 10_000;

function memoryProblem({ memories }: ModuleFacts, limits: ModuleLimits): ModuleProblem | undefined {
  const [memory, second] = memories;
  if (memory === undefined) return invalid("The module has no memory of its own. Define one and export it.");
  if (second !== undefined) return invalid("The module has several memories; devices support one.");
  if (memory.is64) return invalid("The module has a 64-bit memory. Compile it for wasm32.");
  if (memory.isShared) return invalid("The module has a shared memory. Compile it without threads.");
  const minimum = memory.minimum * pageBytes;
  if (minimum <= limits.memoryBytes) return undefined;
  return {
    reason: "MemoryLimit",
    message:
      `The module asks for ${formatBytes(minimum)} of memory at its start; ` +
      `the limit is ${formatBytes(limits.memoryBytes)}: raise spec.limits.memory.`,
  };
}

/** Reads types up to the first that is none of a function; returns false for it. */
function readTypes(reader: BinaryReader): boolean {
  for (let left = reader.u32(); left > 0; left--) {
    if (reader.byte() !== 0x60) return false;
    for (let parameters = reader.u32(); parameters > 0; parameters--) reader.valueType();
    for (let results = reader.u32(); results > 0; results--) reader.valueType();
  }
  return true;
}

function readImport(reader: BinaryReader): ModuleImport {
  const module = reader.name();
  const name = reader.name();
  const kind = kindOf(reader.byte());
  if (kind === "function") reader.u32();
  if (kind === "table") reader.valueType();
  if (kind === "table" || kind === "memory") reader.limits();
  if (kind === "global") {
    reader.valueType();
    reader.byte();
  }
  if (kind === "tag") {
    reader.byte();
    reader.u32();
  }
  return { module, name, kind };
}

function kindOf(byte: number): ExternalKind {
  const kind = externalKinds[byte];
  if (kind === undefined) throw new MalformedModule(`unknown kind ${byte} of an import or export`);
  return kind;
}

function invalid(message: string): ModuleProblem {
  return { reason: "InvalidModule", message };
}

/**
 * Formats a size as people write it.
 *
 * @example
 * formatBytes(16 * 1024 * 1024); // "16 MiB"
 */
export function formatBytes(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB"];
  const power = bytes < 1024 ? 0 : Math.min(3, Math.floor(Math.log2(bytes) / 10));
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${units[power]}`;
}
