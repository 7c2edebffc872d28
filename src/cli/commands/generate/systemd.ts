/** Control plane that systemd runs. */
export interface SystemdService {
  /** Name of the unit, of its user and of its folder below /var/lib. */
  readonly name: string;
  /** Absolute paths of Node and of this package's program. */
  readonly program: readonly string[];
  /** Project folder: modules and fettle.yaml are found there. */
  readonly folder: string;
  /** Arguments of `fettle up`. */
  readonly words: readonly string[];
}

/**
 * Units by file name: the control plane, a backup, and a timer for it. The control plane runs as a user of its own that can write
 * to its data folder only.
 */
export function systemdUnits({ name, program, folder, words }: SystemdService): Record<string, string> {
  const run = (...args: readonly string[]): string => [...program, ...args].map(quoted).join(" ");
  const data = `/var/lib/${name}`;
  return {
    [`${name}.service`]: unit({
      Unit: [
        ["Description", `Fettle control plane ${name}`],
        ["Wants", "network-online.target"],
        ["After", "network-online.target"],
      ],
      Service: [
        ["ExecStart", run("up", "--data", `${data}/data`, "--log", "json", ...words)],
        ["WorkingDirectory", folder.replaceAll("%", "%%")],
        ["DynamicUser", "yes"],
        ["User", name],
        ["StateDirectory", name],
        ["StateDirectoryMode", "0700"],
        ["UMask", "0077"],
        ["Restart", "on-failure"],
        ["RestartSec", "2"],
        // Running reconciles may finish.
        ["TimeoutStopSec", "90"],
        // Processes that an operator supervises keep running when the control plane is restarted or upgraded.
        ["KillMode", "process"],
        ...sandbox,
      ],
      Install: [["WantedBy", "multi-user.target"]],
    }),
    [`${name}-backup.service`]: unit({
      Unit: [
        ["Description", `Backup of the Fettle control plane ${name}`],
        ["After", `${name}.service`],
      ],
      Service: [
        ["Type", "oneshot"],
        // Of the last seven days, one each: the name of the day is part of the file name.
        [
          "ExecStart",
          `/bin/sh -c '${run("backup", "--force", "--data", `${data}/data`, "-o")} ${data}/backups/$$(date +%%a).backup.gz'`,
        ],
        ["WorkingDirectory", data],
        ["DynamicUser", "yes"],
        ["User", name],
        ["StateDirectory", `${name} ${name}/backups`],
        ["StateDirectoryMode", "0700"],
        ["UMask", "0077"],
        ...sandbox,
      ],
    }),
    [`${name}-backup.timer`]: unit({
      Unit: [["Description", `Daily backup of the Fettle control plane ${name}`]],
      Timer: [
        ["OnCalendar", "daily"],
        ["RandomizedDelaySec", "15min"],
        ["Persistent", "yes"],
      ],
      Install: [["WantedBy", "timers.target"]],
    }),
  };
}

/** Takes away what a control plane does not need. Controllers that need more override it: `systemctl edit`. */
const sandbox: readonly (readonly [string, string])[] = [
  ["NoNewPrivileges", "yes"],
  ["PrivateTmp", "yes"],
  ["ProtectSystem", "strict"],
  ["ProtectHome", "read-only"],
  ["ProtectKernelTunables", "yes"],
  ["ProtectControlGroups", "yes"],
  ["RestrictSUIDSGID", "yes"],
];

function unit(sections: Readonly<Record<string, readonly (readonly [string, string])[]>>): string {
  return Object.entries(sections)
    .map(([title, lines]) => `[${title}]\n${lines.map(([key, value]) => `${key}=${value}\n`).join("")}`)
    .join("\n");
}

/** Quotes a word for a command line of systemd, which replaces `%` and `$` in quotes too. */
function quoted(word: string): string {
  const escaped = word.replaceAll("%", "%%").replaceAll("$", "$$$$");
  return /^[\w./:@%+,$-]+$/.test(escaped) ? escaped : `"${escaped.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
