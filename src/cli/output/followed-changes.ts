import { isExpired, isGone } from "../../model/core.js";
import type { ChangeReport } from "../../plane/management/contract.js";
import type { Terminal } from "../command/command.js";
import type { ChangeQuery, ManagementClient } from "../server/management-client.js";
import { Reconnection } from "../server/reconnection.js";

/** Yields the last changes, then new ones; reconnects when the stream breaks. */
export async function* followedChanges(
  plane: ManagementClient,
  query: ChangeQuery,
  terminal: Terminal,
): AsyncGenerator<ChangeReport, void, undefined> {
  const { changes, revision } = await plane.changes(query);
  yield* changes;
  let after = revision;
  const begin = async function* (): AsyncGenerator<ChangeReport, void, undefined> {
    try {
      yield* plane.followChanges({ ...query, after });
    } catch (error) {
      if (!isExpired(error) && !isGone(error)) throw error;
      terminal.stderr.write(
        "fettle: some changes were missed: the server no longer has them; continuing with new ones\n",
      );
      ({ revision: after } = await plane.changes({ ...query, tail: 0 }));
      yield* plane.followChanges({ ...query, after });
    }
  };
  const all = new Reconnection(terminal).resumed(begin, () => plane.controllers());
  for await (const change of all) {
    after = change.revision;
    yield change;
  }
}
