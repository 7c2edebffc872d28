import type { DeviceApplicationState } from "../../driver/driver.js";

/** A module with its settings. */
export interface Launch {
  readonly bytes: Uint8Array;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Bytes. */
  readonly memoryLimit: number;
  /** Milliseconds. */
  readonly timeLimit: number | undefined;
  readonly values: KeyValues;
  /** Receives the lines that the module prints. They are bounded in length and rate. */
  readonly print: (line: OutputLine) => void;
}

export interface OutputLine {
  readonly stream: "stdout" | "stderr" | "log";
  readonly text: string;
}

/** Values of an application. Keys are bytes in hexadecimal digits. */
export interface KeyValues {
  get(key: string): Uint8Array | undefined;
  /** Stores a value. Returns false beyond the quota. */
  set(key: string, value: Uint8Array): boolean;
  /** Returns false if there is no value. */
  delete(key: string): boolean;
}

/** Executes modules. The module was checked by `checkModule`. */
export interface ModuleRuntime {
  run(launch: Launch): ModuleRun;
}

/** One execution of a module. */
export interface ModuleRun {
  /** Resolves when `_start` is called, which is after the start function of the module. Never, if it ends before. */
  readonly started: Promise<void>;
  /** Resolves at the end, and never rejects. */
  readonly ended: Promise<RunEnd>;
  /** Ends the module and resolves when it has ended. Has no effect afterwards. */
  stop(): Promise<void>;
}

export interface RunEnd extends Pick<DeviceApplicationState, "exitCode" | "failure"> {
  readonly state: "Completed" | "Failed" | "Stopped";
}

export const stoppedEnd: RunEnd = { state: "Stopped" };
