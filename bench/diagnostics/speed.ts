import { diagnoseSnapshot, type LabelledConversation, snapshotFromLabelled } from "@/bench/labelled";
import { forgetReadings } from "@/server/services/diagnostics/detectors/reading/read-once";
import { RULES } from "@/server/services/diagnostics/rules";

/** CPU seconds: wall time would measure other work on the machine. */
const SPEED_SECONDS = 1.5;
const MICROSECONDS = 1_000_000;

/** Conversations that `run-rules` loads together and reads Rule by Rule. */
const AT_ONCE = 50;

/** Conversations per CPU second: read for the first time, and read again, as those that continue are. */
export type Speed = { first: number; again: number };

/** Returns the speed of all Rules. What conversations share is read once, each time. */
export function speedOf(conversations: readonly LabelledConversation[]): Speed {
  const spent = { first: 0, again: 0 };
  let count = 0;
  do {
    forgetReadings();
    spent.first += secondsFor(conversations);
    spent.again += secondsFor(conversations);
    count += conversations.length;
  } while (spent.first < SPEED_SECONDS);
  return { first: count / spent.first, again: count / spent.again };
}

function secondsFor(conversations: readonly LabelledConversation[]): number {
  const snapshots = conversations.map(snapshotFromLabelled);
  const start = process.cpuUsage();
  for (let from = 0; from < snapshots.length; from += AT_ONCE) {
    const loaded = snapshots.slice(from, from + AT_ONCE);
    for (const rule of RULES) for (const snapshot of loaded) diagnoseSnapshot(snapshot, [rule]);
  }
  const { user, system } = process.cpuUsage(start);
  return (user + system) / MICROSECONDS;
}

export const OF_MESSAGES = 20;
export const OF_CHARACTERS = 38_000;
/** A conversation counts as being of a given size if its own is within this share above or below. */
const NEAR = 0.35;

/** Returns the conversations of about 20 messages, or the agent traces of about 38 kB. */
export const ofMessages = (conversations: readonly LabelledConversation[]) =>
  conversations.filter(({ messages }) => isNear(messages.length, OF_MESSAGES));
export const ofCharacters = (conversations: readonly LabelledConversation[]) =>
  conversations.filter(
    ({ messages }) =>
      messages.some(({ role }) => role === "tool") && isNear(JSON.stringify(messages).length, OF_CHARACTERS),
  );
const isNear = (value: number, goal: number) => Math.abs(value - goal) <= goal * NEAR;
