import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import type { Outcome } from "@/server/services/datasets";
import { type LockedDataset, lockDataset, writeExamples } from "@/server/services/datasets";
import type { ChatPayload } from "@/server/services/datasets/chat-payload/schemas";
import { findConversation } from "@/server/services/telemetry";
import { maskingOf } from "../passes/collection-settings";
import { conversationsOf, draftOf, type Made, makeExample, readConversations } from "./make-examples";
import {
  type Added,
  addConversationsInput,
  addConversationsReply,
  correctAnswerInput,
  correctAnswerReply,
  previewConversationsInput,
  previewConversationsReply,
} from "./schemas";

const OF_A_FINDING_MAX = 100;
const GONE = "The conversation was deleted.";

export const previewConversations = verb(
  {
    name: "examples.previewConversations",
    summary: "Preview the Examples that conversations, or those of a Finding, would become. Stores nothing.",
    description:
      "Each goes up to and including the assistant's last answer, or the one at `turn`. Personal data and secrets are treated according to the project's `collectionMasking`.",
    effect: "read",
    capability: ["diagnostics:read", "project:data:read"],
    input: previewConversationsInput,
    reply: previewConversationsReply,
  },
  async (ctx, input) => ({
    examples: (await madeOf(ctx, input)).map(({ userId: _, ...made }) => made),
  }),
);

export const addConversationsToDatasets = verb(
  {
    name: "examples.addConversations",
    summary: "Add conversations, or those of a Finding, as Examples to one or more Datasets.",
    description: `Each goes up to and including the assistant's last answer, or the one at \`turn\`. For a Finding, its newest ${OF_A_FINDING_MAX} conversations. The response says what happened to each conversation in each Dataset.`,
    effect: "write",
    capability: "models:manage",
    input: addConversationsInput,
    reply: addConversationsReply,
  },
  {
    before: madeOf,
    run: async (ctx, { datasetIds, tags, findingId = null }, made) => {
      const source = { kind: findingId === null ? ("conversation" as const) : ("finding" as const), tags, findingId };
      const results: Added[] = [];
      // In a fixed order, so that two requests cannot deadlock.
      for (const datasetId of datasetIds.toSorted()) {
        const dataset = await lockDataset(ctx, datasetId);
        results.push(...(await addTo(ctx, dataset, made, source)));
      }
      const created = results.filter(({ status }) => status === "created").length;
      auditNote(ctx, { target: null, after: { datasetIds, conversations: made.length, created } });
      return { results };
    },
  },
);

export const correctAnswer = verb(
  {
    name: "examples.correctAnswer",
    summary:
      "Correct an answer of a conversation: an Example with the better answer and, as rejected output, the old one.",
    description:
      "Correcting the same answer again changes its Example. `result` is `skipped`, with the problem, if the conversation can't become an Example.",
    effect: "write",
    capability: "models:manage",
    input: correctAnswerInput,
    reply: correctAnswerReply,
  },
  {
    before: async (ctx, { conversationId, turn, answer }) => {
      const { id } = await findConversation(ctx, conversationId);
      const masking = await maskingOf(ctx);
      for await (const [conversation] of readConversations(ctx, [id])) {
        if (conversation) return makeExample(conversation, { turn, better: answer, masking });
      }
      throw notFound("The conversation");
    },
    run: async (ctx, { datasetId, tags }, made) => {
      const dataset = await lockDataset(ctx, datasetId);
      const [result] = await addTo(ctx, dataset, [made], { kind: "correction", tags, findingId: null });
      auditNote(ctx, {
        target: { type: "dataset", id: datasetId },
        after: { status: result!.status, exampleId: result!.exampleId },
      });
      return { result: result! };
    },
  },
);

type Selection = { conversationIds?: string[] | undefined; findingId?: string | undefined; turn?: number | undefined };

async function madeOf(ctx: Ctx, { conversationIds, findingId, turn }: Selection): Promise<Made[]> {
  const ids = conversationIds ?? (await conversationsOf(ctx, findingId!, OF_A_FINDING_MAX));
  if (ids.length === 0) throw notFound("The Finding");
  const masking = await maskingOf(ctx);
  const made: Made[] = [];
  for await (const piece of readConversations(ctx, ids)) {
    made.push(...piece.map((conversation) => makeExample(conversation, { turn, masking })));
  }
  if (conversationIds !== undefined && made.length < ids.length) throw notFound("A conversation");
  return made;
}

const isMade = (one: Made): one is Made & { payload: ChatPayload } => one.payload !== null;

async function addTo(
  tx: Ctx,
  dataset: LockedDataset,
  made: readonly Made[],
  source: Parameters<typeof draftOf>[2],
): Promise<Added[]> {
  const usable = made.filter(isMade);
  const onDuplicate = source.kind === "correction" ? ("update" as const) : ("skip" as const);
  const outcomes = await writeExamples(
    tx,
    dataset,
    usable.map((one) => ({ kind: "create" as const, draft: draftOf(tx, one, source), onDuplicate })),
    { kind: "edit" },
  );
  const byConversation = new Map(usable.map(({ conversationId }, nth) => [conversationId, outcomes[nth]!]));
  return made.map(({ conversationId, problem }) => ({
    conversationId,
    datasetId: dataset.id,
    ...resultOf(byConversation.get(conversationId), problem),
  }));
}

function resultOf(outcome: Outcome | undefined, problem: string | null) {
  if (outcome === undefined || outcome.status === "missing")
    return { status: "skipped" as const, exampleId: null, problem: problem ?? GONE };
  const { status, exampleId } = outcome;
  const isThere = status === "duplicate" || status === "unchanged";
  return { status: isThere ? ("duplicate" as const) : ("created" as const), exampleId, problem: null };
}
