import picocolors from "picocolors";
import { formatAge } from "../../model/core.js";
import type { PeerList } from "../../plane/management/contract.js";
import { UsageError, type Command } from "../command/command.js";
import { connectionOptions } from "../command/options.js";
import { printValue, valueFormatOf, valueOption } from "../output/value-output.js";
import { connect } from "../server/connect.js";
import { cellText, columns, headerRow, type Colors, type TableCell } from "../terminal/columns.js";

type Peer = PeerList["peers"][number];

export const command: Command = {
  arguments: "[name]",
  description:
    "List the peers of the control plane: their state, the last comparison, how many objects they have, how many wait to be pulled and for how long, conflicts and errors. With a name: also the kinds and the latest conflicts of one peer.",
  options: [...connectionOptions, valueOption],
  examples: [
    ["fettle peers", "all peers"],
    ["fettle peers berlin", "kinds and conflicts of one peer"],
    ["fettle peers -o json", "everything about them"],
  ],
  async run([name, ...more], options, terminal) {
    if (more.length > 0) throw new UsageError("too many arguments");
    const format = valueFormatOf(options);
    await using server = await connect(options, terminal);
    const list = await server.plane.peers();
    const peers = list.peers.filter((peer) => name === undefined || peer.name === name);
    if (name !== undefined && peers.length === 0) {
      const names = list.peers.map((peer) => peer.name).join(", ");
      throw new Error(`there is no peer ${JSON.stringify(name)}; the peers are: ${names || "none"}`);
    }
    const paint = picocolors.createColors(terminal.colors);
    await printValue(terminal, format, { peers }, () => {
      const details = name === undefined ? [] : peers.flatMap((peer) => detailsText(peer, paint));
      return [listText(peers, paint), ...details].join("\n");
    });
  },
};

function listText(peers: readonly Peer[], paint: Colors): string {
  if (peers.length === 0) return "no peers\n";
  const rows = peers.map((peer) => [
    { text: peer.name, paint: paint.bold },
    stateCell(peer.state, paint),
    peer.lastSync === undefined ? "never" : `${formatAge(Date.now() - peer.lastSync)} ago`,
    String(peer.objects),
    String(peer.pending),
    peer.lag === 0 ? "0s" : formatAge(peer.lag),
    problemCell(String(peer.conflicts), paint),
    { text: cellText(peer.error ?? ""), paint: paint.red },
  ]);
  const titles = ["PEER", "STATE", "LAST SYNC", "OBJECTS", "PENDING", "LAG", "CONFLICTS", "ERROR"];
  return columns([headerRow(titles, paint), ...rows]);
}

function detailsText({ kinds, recentConflicts }: Peer, paint: Colors): string[] {
  const pulled = kinds.map(({ apiVersion, kind, state, objects, error = "" }) => [
    `${apiVersion}/${kind}`,
    { text: state, paint: state === "failing" ? paint.red : paint.green },
    String(objects),
    { text: cellText(error), paint: paint.red },
  ]);
  const conflicts = recentConflicts.map(({ at, kind, namespace, name, reason, kept, message }) => [
    `${formatAge(Date.now() - at)} ago`,
    cellText(`${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`),
    reason,
    kept,
    cellText(message),
  ]);
  return [
    columns([headerRow(["KIND", "STATE", "OBJECTS", "ERROR"], paint), ...pulled]),
    ...(conflicts.length === 0
      ? []
      : [columns([headerRow(["CONFLICT", "OBJECT", "REASON", "KEPT", "MESSAGE"], paint), ...conflicts])]),
  ];
}

function stateCell(state: Peer["state"], { green, yellow, red }: Colors): TableCell {
  const paint = state === "synced" ? green : state === "unreachable" || state === "refused" ? red : yellow;
  return { text: state, paint };
}

/** Number that is yellow unless it is 0. */
function problemCell(text: string, { yellow }: Colors): TableCell {
  return text === "0" ? text : { text, paint: yellow };
}
