import "server-only";

export { findReplays, type Replay, type Replays } from "./find-replays";
export { type FrozenRule, isFoundIn, type ReplayedAnswer, type ReplayedMessage } from "./judge-replay";
