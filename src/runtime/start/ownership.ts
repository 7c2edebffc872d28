import type { Client } from "../../client/client.js";
import type { Clock, Random } from "../../model/core.js";
import { leaderElection, type LeaderElectionOptions } from "../leader/leader-election.js";
import { soleOwnership, type WorkOwnership } from "../lease/work-ownership.js";
import type { Log } from "../log/log.js";
import type { Watched } from "../observe/metrics/computed-families.js";
import { sharding, type Sharding, type ShardingOptions } from "../shard/sharding.js";

/** Options of leader election in `startControllers`. */
export type Election = Omit<LeaderElectionOptions, "client" | "clock" | "random" | "onError">;

/** Options of sharding in `startControllers`. */
export type Shards = Omit<ShardingOptions, "client" | "clock" | "random" | "onError">;

interface OwnershipChoice {
  readonly leaderElection?: Election | undefined;
  readonly sharding?: Shards | undefined;
}

/** Creates the ownership that the options choose, with its parts for metrics. */
export function ownershipOf(
  { leaderElection: election, sharding: shards }: OwnershipChoice,
  { log, ...parts }: { client: Client; clock: Clock; random: Random; log: Log },
): Pick<Watched, "election" | "sharding"> & {
  readonly ownership: WorkOwnership;
  readonly sharding?: { readonly name: string; readonly sharding: Sharding };
} {
  if (election !== undefined && shards !== undefined) {
    throw new Error(
      "either one process leads or all share the work: give leaderElection or sharding, not both",
    );
  }
  const onError = (error: unknown): void =>
    log.warn({ err: error }, election === undefined ? "sharding" : "leader election");
  if (election !== undefined) {
    const ownership = leaderElection({ ...election, ...parts, onError });
    return { ownership, election: { name: election.name, election: ownership } };
  }
  if (shards !== undefined) {
    const ownership = sharding({ ...shards, ...parts, onError });
    return { ownership, sharding: { name: shards.name, sharding: ownership } };
  }
  return { ownership: soleOwnership };
}
