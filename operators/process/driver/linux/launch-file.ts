import type { Launch } from "../driver.js";
import type { CgroupStep } from "./cgroups.js";

/** Encodes a launch for the shim, which reads it in this order (`shim/launch.pl`). Fields contain no NUL: that was checked. */
export function encodeLaunch(launch: Launch, label: string, cgroups: readonly CgroupStep[]): string {
  const { argv, env, logs, notifyDescriptor } = launch;
  const list = (items: readonly string[]): string[] => [String(items.length), ...items];
  return [
    "1",
    label,
    launch.user ?? "",
    launch.group ?? "",
    launch.workingDir ?? "",
    notifyDescriptor === undefined ? "" : String(notifyDescriptor),
    String(logs.maxBytes),
    String(Math.max(1, logs.maxFiles)),
    ...list(argv),
    ...list(Object.entries(env).map(([name, value]) => `${name}=${value}`)),
    ...list(cgroups.flatMap(({ verb, path = "", value = "", text = "" }) => [verb, path, value, text])),
  ].join("\0");
}
