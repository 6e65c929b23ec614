import { excerpt } from "@/server/platform/excerpt";
import type { ConversationSnapshot, DetectedSignal, Detector } from "../../types";
import { spokenMessages } from "../reading/assistant-messages";
import { mergeByCause, quoteMessage } from "../reading/evidence";
import { proseOf } from "../reading/prose";
import { textOf } from "../reading/text";
import { type ToolExchange, toolExchanges } from "../reading/tool-exchanges";
import { isReadingTool } from "../reading/tool-kinds";
import { toolFailures } from "../tool-failure/tool-failures";

/** The call for this act failed, and none succeeded. */
const FAILED_SCORE = 0.85;
/** The assistant has only called tools that read. */
const NEVER_CALLED_SCORE = 0.72;
/** It has called tools whose names do not show what they do. */
const PERHAPS_SCORE = 0.4;

/** Acts that change something, with the participle in a claim and the names of tools that perform the act. */
const ACTS: readonly { act: string; participle: string; tool: RegExp }[] = [
  { act: "cancel", participle: "cancell?ed", tool: /cancel|delete|remove|void|terminate|revoke|refund/i },
  { act: "book", participle: "booked|reserved", tool: /book|reserv|create|schedul|add|order|purchase/i },
  { act: "refund", participle: "refunded", tool: /refund|cancel|return|credit|pay|charge|reimburse|certificate/i },
  {
    act: "send",
    participle: "sent|e-?mailed|forwarded|posted",
    tool: /send|mail|post|forward|notify|messag|reply|publish|invite|share|write/i,
  },
  {
    act: "schedule",
    participle: "scheduled|rescheduled",
    tool: /schedul|create|book|add|event|calendar|update|appointment/i,
  },
  { act: "delete", participle: "deleted|removed", tool: /delet|remov|cancel|clear|drop|purge|trash|update|edit/i },
  {
    act: "order",
    participle: "ordered|placed|purchased",
    tool: /order|purchas|buy|place|checkout|create|book|submit/i,
  },
  { act: "transfer", participle: "transferred|wired", tool: /transfer|send|pay|wire|move|hand_?off|escalat/i },
];
/** Claims that the act is done: by the assistant, or in the passive with a word that presents it as news. */
const CLAIM = new RegExp(
  String.raw`\b(?:(?:i(?:[’']ve| have)|we(?:[’']ve| have)) (?:now |just |already |also |successfully |gone ahead and |immediately ){0,3}(${ACTS.map(({ participle }) => participle).join("|")})\b|(?:has|have) (?:now |just |also )?been successfully (${ACTS.map(({ participle }) => participle).join("|")})\b)`,
  "gi",
);
/** Words that show that it is not a claim: questions, conditions, denials, quotations and drafts. */
const UNCLAIMED =
  /\b(?:not|never|n[’']t|if|once|when|until|unless|after|before|whether|will|would|should|could|can|may|might|as soon as|had|confirm that|example|template|draft|subject|unable|failed)\b[^.!\n]{0,80}$/i;
const LEAD = 90;
/** Characters of a reply that are read. */
const READ = 3000;
/** Match mentions of the act in tool results: the assistant may be reporting a state that it found. */
const stems = new Map(ACTS.map(({ act, participle }) => [act, new RegExp(`(?:${participle}|${act})`, "i")]));

export const prematureClaim: Detector = {
  signal: "premature_claim",
  severity: "high",
  enabledByDefault: true,
  reads: "before",
  looksFor:
    "The assistant says that it did something (“Done, I've cancelled it”) though the call failed or was never made.",
  detect(conversation) {
    const exchanges = toolExchanges(conversation);
    // Without any tool, the act may have happened where nothing is recorded.
    if (!exchanges.some(({ callIndex, spanId }) => callIndex !== null || spanId !== null)) return [];
    return mergeByCause(claimsIn(conversation, exchanges));
  },
};

function claimsIn(conversation: ConversationSnapshot, exchanges: readonly ToolExchange[]): DetectedSignal[] {
  const { messages } = conversation;
  const failed = new Map(
    toolFailures(conversation)
      .filter(({ verdict }) => verdict === "match")
      .map((failure) => [failure.exchange, failure]),
  );
  const found: DetectedSignal[] = [];
  for (const { index, message } of spokenMessages(messages)) {
    if (message.toolCalls.length > 0) continue;
    const prose = proseOf(message).slice(0, READ);
    CLAIM.lastIndex = 0;
    for (let claim = CLAIM.exec(prose); claim; claim = CLAIM.exec(prose)) {
      const word = (claim[1] ?? claim[2])!.toLowerCase();
      const act = ACTS.find(({ participle }) => new RegExp(`^(?:${participle})$`, "i").test(word))!;
      const lineStart = prose.lastIndexOf("\n", claim.index) + 1;
      if (UNCLAIMED.test(prose.slice(Math.max(lineStart, claim.index - LEAD), claim.index))) continue;
      const before = exchanges.filter((one) => (one.resultIndex ?? one.callIndex ?? -1) < index);
      const judged = judge(before, failed, act);
      if (!judged) continue;
      const verdictOf = judged.score > 0.5 ? ("match" as const) : ("ambiguous" as const);
      const text = textOf(message).slice(claim.index);
      found.push({
        name: "premature_claim",
        score: judged.score,
        verdict: verdictOf,
        evidence: [quoteMessage(messages, index, claim.index), ...(judged.failure ? [judged.failure.evidence] : [])],
        cause: `claims to have done: ${act.act}${judged.failure ? `, ${judged.failure.exchange.name} failed` : ""}`,
        title: judged.failure
          ? `The assistant claims success though \`${judged.failure.exchange.name}\` failed`
          : "The assistant claims to have done something that it never did",
        summary: judged.failure
          ? `\`${judged.failure.exchange.name}\` returned “${excerpt(judged.failure.message, 80)}”, then the assistant said “${excerpt(text, 120)}”.`
          : `The assistant said “${excerpt(text, 160)}”; no call could have done it.`,
      });
    }
  }
  return found;
}

type Failures = ReadonlyMap<ToolExchange, ReturnType<typeof toolFailures>[number]>;

/** Judges a claim by the calls before it; `null` if one of them may have performed the act. */
function judge(before: readonly ToolExchange[], failed: Failures, { act, tool }: (typeof ACTS)[number]) {
  const doing = before.filter(({ name }) => tool.test(name));
  const last = doing.at(-1);
  if (doing.some((one) => !failed.has(one))) return null;
  const others = before.filter((one) => !doing.includes(one) && !failed.has(one));
  // The assistant may be repeating what a tool reported.
  if (others.some(({ result }) => result !== null && stems.get(act)!.test(result))) return null;
  const unclear = others.some(({ name }) => !isReadingTool(name));
  if (last) return { score: unclear ? PERHAPS_SCORE : FAILED_SCORE, failure: failed.get(last)! };
  return { score: unclear || before.length === 0 ? PERHAPS_SCORE : NEVER_CALLED_SCORE, failure: null };
}
