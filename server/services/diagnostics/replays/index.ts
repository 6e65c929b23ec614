import "server-only";

export { findReplays, type NotAgain, type RecordedCall, type Replay, type Replays, readReplay } from "./find-replays";
export { type FrozenRule, isFoundIn, type ReplayedAnswer, type ReplayedMessage } from "./judge-replay";
export { whyNotReplayable } from "./replayable-signals";
