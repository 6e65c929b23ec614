import { createHash } from "node:crypto";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { excerpt } from "@/server/platform/excerpt";
import { verb } from "@/server/platform/verb";
import { isByUser } from "@/server/services/telemetry/schemas";
import { estimateTokens, findAdjudicator, roughTokens } from "../adjudicator";
import { meanTokens } from "../adjudicator/cached-answers";
import { textOf } from "../detectors/reading/text";
import { type Candidate, DEFAULT_CONFIGURATION, defaultConfiguration, signalsIn } from "../rules";
import type { ConversationSnapshot } from "../types";
import { type Judge, type Judged, openJudge } from "./judge";
import { readNewestWhole } from "./newest-conversations";
import { isJudged, OWN_SIGNAL, ownRule } from "./own-rule";
import { ownQuestion } from "./questions";
import {
  JUDGED_MAX,
  NO_FILTER,
  type OwnDefinition,
  TRIED_MAX,
  type Trial,
  type TriedConversation,
  trialReply,
  triedReply,
  tryOwnRuleInput,
} from "./schemas";

/** How long conversations are read, and new ones are judged: a person is waiting, and another call goes on. */
const READ_MS = 5_000;
const ASK_MS = 20_000;
const ASKED_AT_ONCE = 4;
const EXAMPLES_MAX = 5;
/** One in so many judged conversations is one that the filter leaves out. */
const LEFT_OUT_SHARE = 5;
const PREVIEW_CHARACTERS = 160;
const SURE = DEFAULT_CONFIGURATION.minDiagnosticConfidence;

export const tryOwnRule = verb(
  {
    name: "rules.tryDescription",
    summary:
      "Try a description on past conversations before it is saved: what it would have caught, and what it costs.",
    description: `Reads the newest \`conversations\` (at most ${TRIED_MAX}) and asks the model about up to \`judged\` (at most ${JUDGED_MAX}), of which one in ${LEFT_OUT_SHARE} is a conversation that the filter leaves out: what the model finds there is what the filter costs. Judges no further conversation after ${(READ_MS + ASK_MS) / 1000} seconds; with \`complete\` false, the same call again goes on, because answers are cached and asked once. Uses the adjudicator's daily limits. With \`asks\` 0 no model is asked. Stores no Run and no Finding. \`problem\` says why the model could not be asked.`,
    effect: "write",
    capability: "diagnostics:write",
    input: tryOwnRuleInput,
    reply: trialReply,
    writeOnlyReply: { unless: ["diagnostics:read"], reply: triedReply },
  },
  {
    before: async (ctx, { conversations, judged, model, ...definition }) => {
      const read = await readAndFilter(ctx, definition, { limit: conversations, judged });
      if (!isJudged(definition)) return { ...trialOf(read, read.sample.map(caught)), usdPer1000: 0 };
      const adjudicator = await findAdjudicator(ctx);
      const named = model ?? adjudicator?.defaultModel ?? null;
      if (adjudicator === null || named === null) {
        const problem =
          adjudicator === null
            ? "No model is connected: connect one under Integrations, and choose it as the adjudicator."
            : "The connection names no model: enter one here, or give the connection a default.";
        return { ...trialOf(read, []), model: null, problem };
      }
      const about = { definition, model: named };
      const { outcomes, problem, complete } = await judgeAll(openJudge(ctx, adjudicator), read.sample, about);
      const trial = trialOf(read, outcomes);
      const usdPer1000 = await costOf(ctx, { ...about, sample: read.sample, trial });
      return { ...trial, usdPer1000, model: named, problem, complete: complete && read.isWhole };
    },
    run: async (ctx, { conversations, judged, model: _, ...definition }, trial) => {
      auditNote(ctx, { after: { ...definition, conversations, judged } });
      return { trial };
    },
  },
);

type Sampled = { conversation: ConversationSnapshot; candidate: Candidate; passedFilter: boolean };
/** How many conversations were read and passed, whether all were read, and which ones are judged. */
type Read = { conversations: number; passed: number; isWhole: boolean; sample: readonly Sampled[] };

async function readAndFilter(
  ctx: Ctx,
  definition: OwnDefinition,
  { limit, judged }: { limit: number; judged: number },
): Promise<Read> {
  const end = performance.now() + READ_MS;
  const rule = ownRule("unsaved", 1, definition);
  const open = ownRule("unsaved", 1, { ...definition, filter: NO_FILTER });
  const passing = new Sample(judged);
  // Without a model, nothing says what the filter costs.
  const leftOut = new Sample(isJudged(definition) ? Math.ceil(judged / LEFT_OUT_SHARE) : 0);
  let conversations = 0;
  let passed = 0;
  for await (const { whole } of readNewestWhole(ctx, { limit, end })) {
    for (const conversation of whole) {
      conversations++;
      const candidate = candidateOf(rule, conversation);
      const anyway = candidate ?? candidateOf(open, conversation);
      if (candidate) passed++;
      if (anyway)
        (candidate ? passing : leftOut).add({ conversation, candidate: anyway, passedFilter: candidate !== null });
    }
  }
  const others = leftOut.items();
  const sample = [...passing.items().slice(0, judged - others.length), ...others];
  return { conversations, passed, isWhole: performance.now() < end, sample };
}

/** A bounded pseudo-random choice, which is the same for a second call. */
class Sample {
  private chosen: { place: string; one: Sampled }[] = [];
  constructor(private readonly size: number) {}

  add(one: Sampled) {
    const place = createHash("sha256").update(one.conversation.id).digest("hex");
    this.chosen.push({ place, one });
    this.chosen.sort((a, b) => (a.place < b.place ? -1 : 1));
    this.chosen.length = Math.min(this.chosen.length, this.size);
  }

  items = () => this.chosen.map(({ one }) => one);
}

const candidateOf = (rule: ReturnType<typeof ownRule>, conversation: ConversationSnapshot) =>
  signalsIn(rule, conversation, defaultConfiguration(rule)).find(({ signal }) => signal === OWN_SIGNAL) ?? null;

type Outcome = Sampled & { judged: Judged };

/** The outcome of a Rule without questions for what passes its filter. */
const caught = (one: Sampled): Outcome => ({
  ...one,
  judged: { match: one.candidate, asked: 0, reason: "", quotes: [], unanswered: null, notes: [] },
});

async function judgeAll(
  judge: Judge,
  sample: readonly Sampled[],
  about: { definition: OwnDefinition; model: string },
): Promise<{ outcomes: Outcome[]; problem: string | null; complete: boolean }> {
  const end = performance.now() + ASK_MS;
  const waiting = [...sample.entries()];
  const settled: Outcome[] = [];
  const problems: string[] = [];
  await Promise.all(
    Array.from({ length: ASKED_AT_ONCE }, async () => {
      while (performance.now() < end) {
        const next = waiting.shift();
        if (!next) return;
        const [nth, one] = next;
        const judged = await judge({ ...about, ...one });
        if (judged.unanswered === null) settled[nth] = { ...one, judged };
        else problems.push(judged.unanswered);
      }
    }),
  );
  // In the order of the sample, whoever was answered first. Those without an answer are holes.
  const outcomes = settled.flat();
  return { outcomes, problem: problems[0] ?? null, complete: waiting.length === 0 && problems.length === 0 };
}

function trialOf({ conversations, passed, isWhole }: Read, outcomes: readonly Outcome[]): Trial {
  const kept = outcomes.filter(({ passedFilter }) => passedFilter);
  const leftOut = outcomes.filter(({ passedFilter }) => !passedFilter);
  // A Run drops what the model is not sure of.
  const isCaught = ({ judged: { match } }: Outcome) => match !== null && match.confidence >= SURE;
  const asks = kept.reduce((sum, { judged }) => sum + judged.asked, 0);
  const asksPerJudged = kept.length === 0 ? null : asks / kept.length;
  const perThousand = conversations === 0 ? null : (1000 * passed) / conversations;
  // The nearest first: what was caught but for the filter, then what was given up after most yeses.
  const near = outcomes
    .filter((one) => !(one.passedFilter && isCaught(one)))
    .sort((a, b) => Number(isCaught(b)) - Number(isCaught(a)) || b.judged.asked - a.judged.asked);
  return {
    conversations,
    passed,
    judged: kept.length,
    caught: kept.filter(isCaught).length,
    leftOutJudged: leftOut.length,
    leftOutCaught: leftOut.filter(isCaught).length,
    asksPerJudged,
    questionsPer1000: perThousand === null || asksPerJudged === null ? null : perThousand * asksPerJudged,
    usdPer1000: null,
    model: null,
    examples: kept.filter(isCaught).slice(0, EXAMPLES_MAX).map(shown),
    nearMisses: near.slice(0, EXAMPLES_MAX).map(shown),
    complete: isWhole,
    problem: null,
  };
}

function shown({ conversation, passedFilter, judged }: Outcome): TriedConversation {
  const first = conversation.messages.find(isByUser);
  const quotes = judged.match?.evidence.map(({ quote }) => quote) ?? judged.quotes;
  return {
    conversationId: conversation.id,
    preview: first ? excerpt(textOf(first), PREVIEW_CHARACTERS) : null,
    quotes: quotes.slice(0, 3),
    reason: judged.reason,
    passedFilter,
    asked: judged.asked,
  };
}

type Costed = { definition: OwnDefinition; model: string; sample: readonly Sampled[]; trial: Trial };

/** Returns the expected cost of 1,000 conversations in US dollars; `null` without a price or a judged conversation. */
async function costOf(ctx: Ctx, { definition, model, sample, trial }: Costed): Promise<number | null> {
  if (trial.questionsPer1000 === null) return null;
  const lengths = sample.map(({ candidate, conversation }) =>
    roughTokens(model, ownQuestion(ctx.projectId, { definition, nth: 0 }, candidate, conversation).promptWithin()),
  );
  const { usd } = await estimateTokens(ctx, model, lengths, await meanTokens(ctx, model));
  return usd?.times(trial.questionsPer1000).toNumber() ?? null;
}
