import { agentRuns } from "./generate-agent-runs";
import { brokenResponses } from "./generate-broken-responses";
import { randomStream } from "./random";
import { type LabelledConversation, labelledConversation } from "./read-labelled";

/** Any number will do; a fixed one makes the confidence table the same on every machine. */
const SEED = 20_250_601;

/**
 * Labelled conversations made by code, for Signals that no public set labels: `labels.signals` says which Signal was built
 * in (or something like it). They show that a detector does what it says; they do not show how often it is right in the world.
 */
export function generateLabelled(perSignal = 40): LabelledConversation[] {
  const random = randomStream(SEED);
  return [...brokenResponses(random, perSignal), ...agentRuns(random, perSignal)].map(
    ({ signal, shows, messages }, index) =>
      labelledConversation.parse({ id: `generated-${index}`, messages, labels: { signals: { [signal]: shows } } }),
  );
}
