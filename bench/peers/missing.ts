import type { Goals } from "../runtime-figures.js";

/**
 * Starts a peer. If that fails, reports it at once and among the goals, and returns undefined, so that everything else is
 * measured.
 */
export async function peerOrMissing<Peer>(
  what: string,
  start: () => Promise<Peer>,
  goals: Goals,
): Promise<Peer | undefined> {
  try {
    return await start();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    console.log(`\n*** PEER MISSING: ${what}: ${why}\n`);
    goals.missing(what, why.split("\n")[0] ?? "");
    return undefined;
  }
}
