import {
  between,
  diagnoseSnapshot,
  type LabelledConversation,
  randomStream,
  snapshotFromLabelled,
} from "@/bench/labelled";
import type { Verdict } from "./figures";

const LOOP_RULE = "agent-loop";
const PLANTED_REPEATS = { least: 2, most: 4 };
const CALLS_TO_PLANT_IN = 3;
/** Share of planted loops that alternate between two calls. */
const ALTERNATING = 0.4;

/** Returns a verdict per real conversation with enough calls, and one per copy of it with a loop planted in it. */
export function loopVerdicts(conversations: readonly LabelledConversation[]): Verdict[] {
  return conversations.flatMap((conversation, seed) => {
    const planted = plantLoop(conversation, seed);
    if (!planted) return [];
    const loops = (one: LabelledConversation) =>
      diagnoseSnapshot(snapshotFromLabelled(one)).filter(({ rule }) => rule === LOOP_RULE);
    const real = { present: endedByLimit(conversation), found: loops(conversation), correct: () => false };
    return [real, { present: true, found: loops(planted), correct: () => true }];
  });
}

const endedByLimit = ({ labels }: LabelledConversation) => /max_steps|too_many/.test(String(labels?.termination ?? ""));

/** Returns a copy of a real conversation in which one call, or two in turn, repeat with the same results. */
function plantLoop(conversation: LabelledConversation, seed: number): LabelledConversation | null {
  const { messages } = conversation;
  const calls = messages.flatMap((message, index) =>
    message.role === "assistant" && message.tool_calls?.length === 1 && messages[index + 1]?.role === "tool"
      ? [index]
      : [],
  );
  if (calls.length < CALLS_TO_PLANT_IN) return null;
  const random = randomStream(seed);
  const at = calls[between(random, 0, calls.length - 2)]!;
  const length =
    messages[at + 2]?.tool_calls?.length === 1 && messages[at + 3]?.role === "tool" && random() < ALTERNATING ? 4 : 2;
  const block = messages.slice(at, at + length);
  const repeats = Array.from(
    { length: between(random, PLANTED_REPEATS.least, PLANTED_REPEATS.most) },
    () => block,
  ).flat();
  return { ...conversation, messages: [...messages.slice(0, at + length), ...repeats, ...messages.slice(at + length)] };
}
