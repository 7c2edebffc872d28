import type { Goals } from "../runtime-figures.js";

/**
 * Starts a peer. Where that cannot be, says so where nobody overlooks it, at once and among the goals, and everything else
 * is measured without it.
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
