import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import type { ProcessLimits, ProcessUsage } from "../driver.js";
import { readIfExists } from "./identity.js";

/** Step that the shim performs (`shim/cgroups.pl`). */
export interface CgroupStep {
  readonly verb: "folder" | "set" | "freeze" | "oom" | "problem";
  readonly path?: string | undefined;
  readonly value?: string | undefined;
  readonly text?: string | undefined;
}

/** Control groups of a machine. Only this knows their version; the shim creates folders and writes files. */
export interface Cgroups {
  plan(name: string, limits: ProcessLimits): readonly CgroupStep[];
  /** Usage of an attempt by its folders; what they do not tell is undefined. */
  usage(folders: ReadonlyMap<string, string>): CgroupUsage;
}

interface CgroupUsage extends Partial<ProcessUsage> {
  /** Numbers of the processes. */
  readonly processes?: readonly number[] | undefined;
}

const limitNames = { memoryBytes: "memory limit", cpus: "cpu limit", pids: "pids limit" } as const;

/** Cgroups in which no limit can be put in force, and the reason. */
export function noCgroups(reason: string): Cgroups {
  return {
    plan: (_name, limits) =>
      limitsOf(limits).map((limit) => ({
        verb: "problem",
        text: `The ${limitNames[limit]} is not in force: ${reason}`,
      })),
    usage: () => ({}),
  };
}

/** Finds the control groups that this program may use. `group` is the folder for all its attempts. */
export function findCgroups(group: string, root = "/sys/fs/cgroup"): Cgroups {
  const own = ownFolders(root);
  const writable = [...own].filter(([, folder]) => isWritable(folder));
  if (own.size === 0) {
    const unified = existsSync(join(root, "cgroup.controllers"));
    return noCgroups(
      unified ? "this machine has only cgroups of version 2" : "this machine has no cgroups of version 1",
    );
  }
  if (writable.length === 0)
    return noCgroups(`not permitted to create folders in ${root}; run Fettle as root`);
  return new VersionOne(new Map(writable.map(([controller, folder]) => [controller, join(folder, group)])));
}

/** Folder of this program by controller, such as `/sys/fs/cgroup/memory/system.slice/fettle.service`. */
function ownFolders(root: string): Map<string, string> {
  const lines = readIfExists("/proc/self/cgroup")?.split("\n") ?? [];
  const folders = new Map<string, string>();
  for (const line of lines) {
    const [, controllers = "", path = ""] = /^\d+:([^:]+):(.*)$/.exec(line) ?? [];
    for (const controller of controllers.split(",")) {
      const folder = join(root, controller, path);
      // In a container the path may be that of the host, while its root is mounted.
      const found = [folder, join(root, controller)].find((each) => existsSync(join(each, "cgroup.procs")));
      if (controller !== "" && found !== undefined) folders.set(controller, found);
    }
  }
  return folders;
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function limitsOf(limits: ProcessLimits): (keyof ProcessLimits)[] {
  const all: (keyof ProcessLimits)[] = ["memoryBytes", "cpus", "pids"];
  return all.filter((limit) => limits[limit] !== undefined);
}

/** Period of processor time, in microseconds, and the smallest share of it that the kernel accepts. */
const period = 100_000;
const minQuota = 1000;

class VersionOne implements Cgroups {
  readonly #groups: ReadonlyMap<string, string>;

  constructor(groups: ReadonlyMap<string, string>) {
    this.#groups = groups;
  }

  /** A memory cgroup takes memory itself, so only processes with a limit have one. The others are for finding processes. */
  plan(name: string, { memoryBytes, cpus, pids }: ProcessLimits): CgroupStep[] {
    const steps: CgroupStep[] = [];
    const add = (controller: string, files: (folder: string) => CgroupStep[], limit?: string): void => {
      const group = this.#groups.get(controller);
      if (group !== undefined) {
        const folder = join(group, name);
        steps.push({ verb: "folder", path: folder, value: controller }, ...files(folder));
      } else if (limit !== undefined) {
        const text = `The ${limit} is not in force: the cgroup controller ${controller} is missing or not permitted`;
        steps.push({ verb: "problem", text });
      }
    };
    const set = (path: string, value: number, limit: string): CgroupStep => ({
      verb: "set",
      path,
      value: String(value),
      text: `The ${limit}`,
    });
    add(
      "pids",
      (folder) => [
        { verb: "freeze", path: join(folder, "pids.max"), value: "0" },
        ...(pids === undefined ? [] : [set(join(folder, "pids.max"), pids, limitNames.pids)]),
      ],
      pids === undefined ? undefined : limitNames.pids,
    );
    add("cpuacct", () => []);
    if (memoryBytes !== undefined) {
      const swap = (folder: string): string => join(folder, "memory.memsw.limit_in_bytes");
      const hasSwap = existsSync(swap(join(this.#groups.get("memory") ?? "", "../..")));
      add(
        "memory",
        (folder) => [
          set(join(folder, "memory.limit_in_bytes"), memoryBytes, limitNames.memoryBytes),
          ...(hasSwap ? [set(swap(folder), memoryBytes, `${limitNames.memoryBytes} for swap`)] : []),
          { verb: "oom", path: join(folder, "memory.oom_control") },
        ],
        limitNames.memoryBytes,
      );
    }
    if (cpus !== undefined) {
      const quota = Math.max(minQuota, Math.round(cpus * period));
      add(
        "cpu",
        (folder) => [
          set(join(folder, "cpu.cfs_period_us"), period, limitNames.cpus),
          set(join(folder, "cpu.cfs_quota_us"), quota, limitNames.cpus),
        ],
        limitNames.cpus,
      );
    }
    return steps;
  }

  usage(folders: ReadonlyMap<string, string>): CgroupUsage {
    const read = (controller: string, file: string): string | undefined => {
      const folder = folders.get(controller);
      return folder === undefined ? undefined : readIfExists(join(folder, file));
    };
    const nanoseconds = read("cpuacct", "cpuacct.usage");
    const [anyFolder] = folders.keys();
    const processes = anyFolder === undefined ? undefined : read(anyFolder, "cgroup.procs");
    return {
      cpuSeconds: nanoseconds === undefined ? undefined : Number(nanoseconds) / 1e9,
      memoryBytes: workingSet(read("memory", "memory.usage_in_bytes"), read("memory", "memory.stat")),
      processes: processes?.split("\n").filter(Boolean).map(Number),
    };
  }
}

/** Memory without file pages that the kernel can drop at once, as Kubernetes counts it. */
function workingSet(usage: string | undefined, stat: string | undefined): number | undefined {
  if (usage === undefined) return undefined;
  const inactive = /^total_inactive_file (\d+)$/m.exec(stat ?? "")?.[1] ?? "0";
  return Math.max(0, Number(usage) - Number(inactive));
}
