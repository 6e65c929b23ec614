import { and, eq } from "drizzle-orm";
import { findings } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { notFound, unprocessable } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { findReplays, type NotAgain, type Replay, readReplay, whyNotReplayable } from "@/server/services/diagnostics";
import { NoAnswer } from "@/server/services/diagnostics/adjudicator";
import { requestOf, shownMessage } from "../evaluations/prepare-evaluation";
import { openChat } from "./ask-chat";
import { requireEndpoint } from "./endpoints";
import { withOverlay } from "./overlay";
import { answerPlayedBack } from "./play-back";
import {
  faultyTurnsInput,
  type RecordedTurn,
  recordedTurnInput,
  recordedTurnsReply,
  triedVariantReply,
  tryVariantInput,
  tryVariantReply,
} from "./schemas";

/** As many as a person reads while writing a variant. */
const TURNS = 10;

/** Why an answer of a conversation is none that can be given again. */
const NOT_AGAIN: Readonly<Record<NotAgain, string>> = {
  not_an_answer: "This message is no answer to a user.",
  calls_tools: "This answer calls tools, so it cannot be given again.",
  attachments: "This answer cannot be given again: more than text comes before it.",
  no_results: "This answer cannot be given again: what a tool returned before it is not recorded.",
  no_definitions: "This answer cannot be given again: which tools the model had is not recorded.",
  too_far: "This answer cannot be given again: it is too far into its conversation.",
};

export const faultyTurns = verb(
  {
    name: "variants.faultyTurns",
    summary: "Read what was sent before some faulty answers of a Finding, to write a variant from.",
    description: `At most ${TURNS} conversations, the newest ones, each up to the faulty answer. \`problem\` says why a Finding's answers cannot be given again.`,
    effect: "read",
    capability: ["diagnostics:read", "project:data:read"],
    input: faultyTurnsInput,
    reply: recordedTurnsReply,
  },
  async (ctx, { findingId }) => {
    const [finding] = await ctx.db
      .select({ ruleId: findings.ruleId, signal: findings.signal })
      .from(findings)
      .where(and(eq(findings.projectId, ctx.projectId), eq(findings.id, findingId)));
    if (!finding) throw notFound("The Finding");
    const problem = whyNotReplayable(finding.ruleId, finding.signal);
    if (problem !== null) return { turns: [], problem };
    const { replays } = await findReplays(ctx, findingId, { limit: TURNS, skip: new Set(), withTools: true });
    return {
      turns: replays.map(turnOf),
      problem: replays.length === 0 ? "No conversation of this Finding can be replayed." : null,
    };
  },
);

export const recordedTurn = verb(
  {
    name: "variants.recordedTurn",
    summary: "Read what was sent before one answer of a conversation, to write a variant from.",
    description: "`problem` says why the answer cannot be given again. 404 for a conversation that does not exist.",
    effect: "read",
    capability: ["diagnostics:read", "project:data:read"],
    input: recordedTurnInput,
    reply: recordedTurnsReply,
  },
  async (ctx, { conversationId, messageIndex }) => {
    const replay = await readReplay(ctx, conversationId, messageIndex);
    if (typeof replay === "string") return { turns: [], problem: NOT_AGAIN[replay] };
    return { turns: [turnOf(replay)], problem: null };
  },
);

const turnOf = ({ turn: messageIndex, prompt, conversationId, recorded, model, tools }: Replay): RecordedTurn => ({
  conversationId,
  messageIndex,
  prompt: prompt.map(shownMessage),
  recorded,
  model,
  tools: (tools?.definitions ?? []).map(({ function: { name, description } }) => ({
    name,
    description: description ?? null,
  })),
});

export const tryVariant = verb(
  {
    name: "variants.try",
    summary: "Ask a model for one recorded answer again, with a change that is not saved.",
    description:
      "The conversation is sent up to the answer, within the connection's daily limits. A base model is started on a trainer at the first question (403 without `project:models:manage`), and `problem` says so until it answers. `problem` says why there is no answer. 422: the answer cannot be given again, because the conversation uses tools or attachments before it, or the change does not apply to its system prompt.",
    effect: "write",
    capability: "models:manage",
    input: tryVariantInput,
    reply: tryVariantReply,
    writeOnlyReply: { unless: ["diagnostics:read", "project:data:read"], reply: triedVariantReply },
  },
  {
    before: async (ctx, { conversationId, messageIndex, ...change }) => {
      const endpoint = await requireEndpoint(ctx, change);
      const replay = await readReplay(ctx, conversationId, messageIndex);
      if (typeof replay === "string") throw unprocessable("/messageIndex", NOT_AGAIN[replay]);
      const { recorded } = replay;
      const prompt = replay.prompt.map(shownMessage);
      const request = withOverlay(requestOf(replay) ?? { messages: replay.prompt }, change);
      if (request === null)
        throw unprocessable("/systemPrompt", "The recorded system prompt has other lines where this changes them.");
      const chat = await openChat(ctx, "try");
      try {
        const answer = await answerPlayedBack(chat, { ...change, ...endpoint }, request);
        return answer === "other_tool_call"
          ? { prompt, recorded, answer: null, problem: "It called a tool that was not called in this conversation." }
          : { prompt, recorded, answer, problem: null };
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        return { prompt, recorded, answer: null, problem: `There is no answer: ${error.message}.` };
      }
    },
    run: async (ctx, { conversationId, messageIndex, connectionId, deploymentId, baseModel, model }, tried) => {
      auditNote(ctx, {
        target: { type: "conversation", id: conversationId },
        after: { messageIndex, connectionId, deploymentId, baseModel, model },
      });
      return tried;
    },
  },
);
