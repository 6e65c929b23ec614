import { agentRuns } from "./generate-agent-runs";
import { brokenResponses } from "./generate-broken-responses";
import { randomStream } from "./random";
import { type LabelledConversation, labelledConversation } from "./read-labelled";

/** Arbitrary but fixed, so that the confidence table is the same on every machine. */
const SEED = 20_250_601;

/**
 * Generates labelled conversations for Signals that no public dataset labels; `labels.signals` states whether a conversation
 * has the Signal or a lookalike. They show that a detector works, not how precise it is on real conversations.
 */
export function generateLabelled(perSignal = 40): LabelledConversation[] {
  const random = randomStream(SEED);
  return [...brokenResponses(random, perSignal), ...agentRuns(random, perSignal)].map(
    ({ signal, shows, messages }, index) =>
      labelledConversation.parse({ id: `generated-${index}`, messages, labels: { signals: { [signal]: shows } } }),
  );
}
