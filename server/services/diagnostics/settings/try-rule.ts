import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { findConversation, snapshotLengths } from "@/server/services/telemetry";
import { snapshotsWithBaseline } from "../baselines/snapshots-with-baseline";
import { chatSnapshot } from "../chat-snapshot";
import { shippedBasis } from "../findings/judged-findings";
import {
  type ConfigurationPatch,
  outcomeOf,
  patchedConfiguration,
  type RuleConfiguration,
  type RuleOccurrence,
  signalsIn,
  signalsOf,
  validatedConfiguration,
} from "../rules";
import type { ConversationSnapshot, Rule } from "../types";
import { readLong, signalsFound } from "../windows/read-long";
import { ruleJson } from "./list-rules";
import { type ConfiguredRule, configuredRules } from "./rule-settings";
import { type TriedSignal, triedRuleReply, tryRuleInput, tryRuleReply } from "./schemas";

export const tryRule = verb(
  {
    name: "rules.try",
    summary: "Run a Rule's detectors on one conversation, stored or pasted, and store nothing.",
    description:
      "Returns every Signal with its score, verdict, confidence, evidence and outcome: what a Run would conclude with the saved configuration, or with the changes in `configuration`. Signals that are turned off are tried too. The adjudicator is not asked. `messages` are in chat API format: `role`, `content`, `tool_calls`, `tool_call_id`.",
    effect: "write",
    capability: "diagnostics:write",
    input: tryRuleInput,
    reply: tryRuleReply,
    writeOnlyReply: { unless: ["diagnostics:read"], reply: triedRuleReply },
  },
  {
    before: async (ctx, { ruleId, conversationId, messages = [], configuration }) => {
      const configured = await configuredWith(ctx, ruleId, configuration);
      const read =
        conversationId === undefined
          ? detectedIn(chatSnapshot("pasted", messages), configured)
          : await detectedInStored(ctx, conversationId, configured);
      return {
        ruleId,
        conversationId: conversationId === undefined ? null : read.id,
        messages: read.messages,
        signals: triedSignals(configured, read.detected),
      };
    },
    run: async (ctx, { ruleId }, tried) => {
      // Neither the pasted messages nor the client's own id belong in the audit log.
      auditNote(ctx, { target: { type: "rule", id: ruleId }, after: { conversationId: tried.conversationId } });
      return tried;
    },
  },
);

/** Returns a Rule with unsaved changes applied to its configuration; 404 for an unknown Rule, 422 for an invalid result. */
export async function configuredWith(
  ctx: Ctx,
  ruleId: string,
  patch: ConfigurationPatch = {},
): Promise<ConfiguredRule & { saved: RuleConfiguration }> {
  const found = (await configuredRules(ctx)).find(({ rule }) => rule.id === ruleId);
  if (!found) throw notFound("Rule");
  const configuration = validatedConfiguration(found.rule, patchedConfiguration(found.configuration, patch));
  return { ...found, saved: found.configuration, configuration };
}

type Read = { id: string; messages: number; detected: readonly RuleOccurrence[] };

const detectedIn = (conversation: ConversationSnapshot, { rule, configuration }: ConfiguredRule): Read => ({
  id: conversation.id,
  messages: conversation.messages.length,
  detected: signalsIn(rule, conversation, allOn(rule, configuration)),
});

async function detectedInStored(ctx: Ctx, conversationId: string, configured: ConfiguredRule): Promise<Read> {
  const { rule, configuration } = configured;
  const { id, lastActivityAt } = await findConversation(ctx, conversationId);
  const snapshot = { conversationId: id, lastActivityAt, traceIds: [] };
  const [length] = await snapshotLengths(ctx, [snapshot]);
  const rules = [{ rule, configuration: allOn(rule, configuration) }];
  const read = length?.isLong ? await readLong(ctx, { snapshot, startedAt: length.startedAt, rules }) : undefined;
  if (read) return { id, messages: read.conversation.messageCount, detected: signalsFound(read.found[0]) };
  const [whole] = await snapshotsWithBaseline(ctx, [snapshot]);
  if (!whole) throw notFound("Conversation");
  return detectedIn(whole, configured);
}

/** Returns the configuration with every Signal turned on. */
function allOn(rule: Rule, configuration: RuleConfiguration): RuleConfiguration {
  const { signalOverrides } = configuration;
  const on = signalsOf(rule).map((signal) => [signal, { ...signalOverrides[signal], enabled: true }]);
  return { ...configuration, signalOverrides: Object.fromEntries(on) };
}

function triedSignals(configured: ConfiguredRule, detected: readonly RuleOccurrence[]): TriedSignal[] {
  const { configuration } = configured;
  const judged = () => ({ confirmedFindings: 0, wrongFindings: 0 });
  const { signals } = ruleJson(configured, { judged, adjudicator: null });
  return signals.flatMap(({ name, severity, enabled: isReported, needs }): TriedSignal[] => {
    // No adjudicator is asked here: what needs one is shown as ambiguous.
    const enabled = isReported || needs !== null;
    const found = detected.filter(({ signal }) => signal === name);
    const same = { name, severity, enabled };
    if (found.length === 0)
      return [{ ...same, ...NOTHING, outcome: enabled ? ("nothing" as const) : ("off" as const) }];
    return found.map(({ verdict, score, confidence, title, summary, evidence }) => ({
      ...same,
      verdict,
      score,
      confidence,
      confidenceBasis: shippedBasis(name, confidence),
      outcome: enabled ? outcomeOf({ verdict, score, confidence }, configuration) : "off",
      title,
      summary,
      evidence,
    }));
  });
}

const NOTHING = {
  verdict: "no_match",
  score: 0,
  confidence: null,
  confidenceBasis: null,
  title: null,
  summary: null,
  evidence: [],
} satisfies Partial<TriedSignal>;
