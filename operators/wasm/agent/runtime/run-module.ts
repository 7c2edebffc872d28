import type { OutputLine } from "./runtime.js";

/** Everything that `runModule` needs, as values that can be sent to a thread. */
export interface RunOptions {
  readonly bytes: Uint8Array;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Functions of WASI that return the error `badf`. */
  readonly wasiWithoutDescriptors: readonly string[];
  readonly maxKeyBytes: number;
  readonly maxValueBytes: number;
  /** Longer lines are cut. */
  readonly maxLineBytes: number;
  /** More lines are dropped, and counted. */
  readonly linesPerSecond: number;
}

/** What a module needs from the thread that it runs in. */
export interface ModuleHost {
  /** Called before `_start`. */
  started(): void;
  print(line: OutputLine): void;
  /** Blocks for a time. */
  sleep(milliseconds: number): void;
  /** Value that `sleep` throws to leave `runModule`, which throws it too. */
  readonly suspension?: unknown;
  getValue(key: string): Uint8Array | undefined;
  setValue(key: string, value: Uint8Array): boolean;
  deleteValue(key: string): boolean;
}

/** End of a module, before it is judged: see `describeEnd`. */
export type RunOutcome =
  | { readonly type: "exit"; readonly code: number }
  | {
      readonly type: "trap";
      readonly message: string;
      /** Size of its memory. */
      readonly memoryBytes: number;
      /** Whether the last line on its standard error says that memory could not be allocated. */
      readonly reportedNoMemory: boolean;
    };

/**
 * Runs a module to its end, and blocks as long. Provides WASI preview 1 without files and sockets, and the functions of `fettle`
 * (`module/abi.ts`).
 *
 * Invariant: it refers to nothing outside of itself except for globals and types. Threads get its source text, since Node cannot start
 * a thread from a TypeScript file, and the bundled agent is a single file.
 */
export function runModule(options: RunOptions, host: ModuleHost): RunOutcome {
  const errors = { success: 0, badf: 8, fault: 21, inval: 28 };
  /** Thrown by `proc_exit`, through the module. */
  class Exit {
    constructor(readonly code: number) {}
  }
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  let memory: WebAssembly.Memory | undefined;
  let lastErrorLine = "";

  /** A view of the memory, which moves when it grows. */
  const bytesAt = (pointer: number, length: number): Uint8Array => {
    const start = pointer >>> 0;
    const size = length >>> 0;
    if (memory === undefined)
      throw new RangeError("the start function called the host before there was a memory");
    if (start + size > memory.buffer.byteLength) {
      throw new RangeError(
        `${size} bytes at ${start} are outside of its memory of ${memory.buffer.byteLength} bytes`,
      );
    }
    return new Uint8Array(memory.buffer, start, size);
  };
  const viewAt = (pointer: number, length: number): DataView => {
    const bytes = bytesAt(pointer, length);
    return new DataView(bytes.buffer, bytes.byteOffset, length);
  };
  const setU32 = (pointer: number, value: number): void => viewAt(pointer, 4).setUint32(0, value, true);
  const setU64 = (pointer: number, value: bigint): void => viewAt(pointer, 8).setBigUint64(0, value, true);

  // Output. The allowance for lines grows with time up to that of one second.
  const output = { allowance: options.linesPerSecond, refilledAt: Date.now(), dropped: 0 };
  const printLine = (line: OutputLine): void => {
    const now = Date.now();
    const refill = (Math.max(0, now - output.refilledAt) / 1000) * options.linesPerSecond;
    output.allowance = Math.min(options.linesPerSecond, output.allowance + refill);
    output.refilledAt = now;
    if (output.allowance < 1) {
      output.dropped++;
      return;
    }
    output.allowance--;
    reportDropped();
    host.print(line);
  };
  const reportDropped = (): void => {
    if (output.dropped === 0) return;
    host.print({
      stream: "log",
      text: `${output.dropped} lines were dropped: at most ${options.linesPerSecond} per second are kept`,
    });
    output.dropped = 0;
  };
  /** A line that has not ended yet; bytes beyond the maximum are dropped. */
  class LineBuffer {
    #length = 0;
    readonly #bytes = new Uint8Array(options.maxLineBytes);
    #isCut = false;
    constructor(readonly stream: "stdout" | "stderr") {}
    write(bytes: Uint8Array): void {
      let start = 0;
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
        this.#append(bytes.subarray(start, end));
        this.end();
        start = end + 1;
      }
      this.#append(bytes.subarray(start));
    }
    #append(bytes: Uint8Array): void {
      const kept = bytes.subarray(0, this.#bytes.length - this.#length);
      this.#bytes.set(kept, this.#length);
      this.#length += kept.length;
      this.#isCut ||= kept.length < bytes.length;
    }
    get isEmpty(): boolean {
      return this.#length === 0;
    }
    end(): void {
      const text = decoder.decode(this.#bytes.subarray(0, this.#length)) + (this.#isCut ? "…" : "");
      this.#length = 0;
      this.#isCut = false;
      if (this.stream === "stderr") lastErrorLine = text;
      printLine({ stream: this.stream, text });
    }
  }
  const lines = new Map([
    [1, new LineBuffer("stdout")],
    [2, new LineBuffer("stderr")],
  ]);

  const fillRandom = (bytes: Uint8Array): void => {
    // The API fills at most this much at a time.
    for (let start = 0; start < bytes.length; start += 65_536) {
      globalThis.crypto.getRandomValues(bytes.subarray(start, start + 65_536));
    }
  };

  // WASI.
  const encodeList = (texts: readonly string[]): readonly Uint8Array[] =>
    texts.map((text) => encoder.encode(`${text}\0`));
  const args = encodeList(["module.wasm", ...options.args]);
  const variables = encodeList(Object.entries(options.env).map(([name, value]) => `${name}=${value}`));
  const sizesOf =
    (list: readonly Uint8Array[]) =>
    (count: number, size: number): void => {
      setU32(count, list.length);
      setU32(
        size,
        list.reduce((sum, each) => sum + each.length, 0),
      );
    };
  const copyOf =
    (list: readonly Uint8Array[]) =>
    (pointers: number, buffer: number): void => {
      let next = buffer >>> 0;
      for (const [index, each] of list.entries()) {
        setU32((pointers >>> 0) + index * 4, next);
        bytesAt(next, each.length).set(each);
        next += each.length;
      }
    };
  const clocks = [
    (): bigint => BigInt(Date.now()) * 1_000_000n,
    (): bigint => BigInt(Math.round(performance.now() * 1_000_000)),
  ];
  // Clocks 2 and 3, of the process and the thread, count as monotonic.
  const clockOf = (id: number): (() => bigint) | undefined => (id <= 3 ? clocks[Math.min(id, 1)] : undefined);

  /** Waits for the earliest of the clocks; descriptors are ready at once. */
  const poll = (subscriptions: number, events: number, count: number, result: number): number => {
    // More would need a lot of the engine's own memory.
    if (count === 0 || count > 1024) return errors.inval;
    const waits = Array.from({ length: count }, (_, index) => {
      const view = viewAt((subscriptions >>> 0) + index * 48, 48);
      const userData = view.getBigUint64(0, true);
      const type = view.getUint8(8);
      if (type !== 0) {
        const descriptor = view.getUint32(16, true);
        return { userData, type, delay: 0n, error: descriptor <= 2 ? errors.success : errors.badf };
      }
      const now = clockOf(view.getUint32(16, true));
      const timeout = view.getBigUint64(24, true);
      const isAbsolute = (view.getUint16(40, true) & 1) === 1;
      const delay = isAbsolute && now !== undefined ? timeout - now() : timeout;
      return {
        userData,
        type,
        delay: delay < 0n ? 0n : delay,
        error: now === undefined ? errors.inval : errors.success,
      };
    });
    const earliest = waits.reduce((least, { delay, error }) => {
      const wait = error === errors.success ? delay : 0n;
      return wait < least ? wait : least;
    }, waits[0]?.delay ?? 0n);
    if (earliest > 0n) host.sleep(Number(earliest) / 1_000_000);
    const due = waits.filter(({ delay, error }) => delay <= earliest || error !== errors.success);
    for (const [index, { userData, type, error }] of due.entries()) {
      const view = viewAt((events >>> 0) + index * 32, 32);
      view.setBigUint64(0, userData, true);
      view.setUint16(8, error, true);
      view.setUint8(10, type);
      view.setBigUint64(16, 0n, true);
      view.setUint16(24, 0, true);
    }
    setU32(result, due.length);
    return errors.success;
  };

  type HostFunction = (...parameters: never[]) => unknown;
  const wasi: Record<string, HostFunction> = {
    args_sizes_get: sizesOf(args),
    args_get: copyOf(args),
    environ_sizes_get: sizesOf(variables),
    environ_get: copyOf(variables),
    clock_res_get: (id: number, result: number) => {
      if (clockOf(id) === undefined) return errors.inval;
      setU64(result, 1_000_000n);
      return errors.success;
    },
    clock_time_get: (id: number, _precision: bigint, result: number) => {
      const now = clockOf(id);
      if (now === undefined) return errors.inval;
      setU64(result, now());
      return errors.success;
    },
    fd_fdstat_get: (descriptor: number, result: number) => {
      if (descriptor < 0 || descriptor > 2) return errors.badf;
      const view = viewAt(result, 24);
      // A character device with the right to read or to write.
      view.setUint8(0, 2);
      view.setUint16(2, 0, true);
      view.setBigUint64(8, descriptor === 0 ? 2n : 64n, true);
      view.setBigUint64(16, 0n, true);
      return errors.success;
    },
    fd_read: (descriptor: number, _vectors: number, _count: number, result: number) => {
      if (descriptor !== 0) return errors.badf;
      setU32(result, 0);
      return errors.success;
    },
    fd_write: (descriptor: number, vectors: number, count: number, result: number) => {
      const line = lines.get(descriptor);
      if (line === undefined) return errors.badf;
      let written = 0;
      for (let index = 0; index < count >>> 0; index++) {
        const vector = viewAt((vectors >>> 0) + index * 8, 8);
        const bytes = bytesAt(vector.getUint32(0, true), vector.getUint32(4, true));
        line.write(bytes);
        written += bytes.length;
      }
      setU32(result, written);
      return errors.success;
    },
    poll_oneoff: (subscriptions: number, events: number, count: number, result: number) =>
      poll(subscriptions, events, count >>> 0, result),
    random_get: (buffer: number, length: number) => fillRandom(bytesAt(buffer, length)),
    sched_yield: () => errors.success,
    ...Object.fromEntries(options.wasiWithoutDescriptors.map((name) => [name, () => errors.badf])),
  };
  /** Turns a pointer outside of the memory into the error of WASI. */
  const withErrors = (call: HostFunction): HostFunction => {
    return (...parameters) => {
      try {
        return call(...parameters) ?? errors.success;
      } catch (error) {
        if (error instanceof RangeError) return errors.fault;
        throw error;
      }
    };
  };

  // Functions of fettle.
  const keyAt = (pointer: number, length: number): string | undefined => {
    if (length >>> 0 > options.maxKeyBytes) return undefined;
    return Array.from(bytesAt(pointer, length), (byte) => byte.toString(16).padStart(2, "0")).join("");
  };
  const levels = ["debug", "info", "warning", "error"];
  const fettle: Record<string, HostFunction> = {
    log: (level: number, text: number, length: number) => {
      const bytes = bytesAt(text, length);
      const isCut = bytes.length > options.maxLineBytes;
      const message = decoder.decode(bytes.subarray(0, options.maxLineBytes)) + (isCut ? "…" : "");
      printLine({ stream: "log", text: `${levels[level] ?? "info"}: ${message.replaceAll("\n", " ")}` });
    },
    clock: () => BigInt(Date.now()),
    random: (buffer: number, length: number) => fillRandom(bytesAt(buffer, length)),
    kv_get: (key: number, length: number, buffer: number, capacity: number) => {
      const name = keyAt(key, length);
      const value = name === undefined ? undefined : host.getValue(name);
      if (value === undefined) return -1;
      if (value.length <= capacity >>> 0) bytesAt(buffer, value.length).set(value);
      return value.length;
    },
    kv_set: (key: number, length: number, value: number, valueLength: number) => {
      const name = keyAt(key, length);
      if (name === undefined || valueLength >>> 0 > options.maxValueBytes) return -3;
      return host.setValue(name, bytesAt(value, valueLength).slice()) ? 0 : -2;
    },
    kv_delete: (key: number, length: number) => {
      const name = keyAt(key, length);
      return name !== undefined && host.deleteValue(name) ? 0 : -1;
    },
  };

  const flush = (): void => {
    for (const line of lines.values()) if (!line.isEmpty) line.end();
    reportDropped();
  };
  try {
    const imports = {
      wasi_snapshot_preview1: {
        ...Object.fromEntries(Object.entries(wasi).map(([name, call]) => [name, withErrors(call)])),
        proc_exit: (code: number) => {
          throw new Exit(code);
        },
      },
      fettle,
    };
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(options.bytes), imports);
    memory = exports["memory"] as WebAssembly.Memory;
    host.started();
    (exports["_start"] as () => void)();
    flush();
    return { type: "exit", code: 0 };
  } catch (error) {
    if (error !== undefined && error === host.suspension) throw error;
    flush();
    if (error instanceof Exit) return { type: "exit", code: error.code };
    return {
      type: "trap",
      message: error instanceof Error ? error.message : "an exception was not caught",
      memoryBytes: memory?.buffer.byteLength ?? 0,
      reportedNoMemory: /memory allocation of \d+ bytes failed|out of memory/i.test(lastErrorLine),
    };
  }
}
