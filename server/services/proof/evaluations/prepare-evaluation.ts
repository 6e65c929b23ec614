import { and, eq, inArray } from "drizzle-orm";
import { isOneOf } from "@/db/rows";
import { checkpoints, conversations, trainingJobs } from "@/db/schema";
import type { EVALUATION_KINDS } from "@/db/schema/enumerations";
import type { Ctx } from "@/server/platform/context";
import { notFound, unprocessable } from "@/server/platform/errors";
import {
  type FrozenRule,
  findReplays,
  type RecordedCall,
  type Replay,
  type ReplayedMessage,
} from "@/server/services/diagnostics";
import type { ToolDefinition } from "@/server/services/telemetry";
import { requireTrainer } from "@/server/services/trainers";
import type { Endpoint } from "../variants/endpoints";
import { answersLike, hasPreserveSet, readHeldOut, referencesFor, taughtConversations } from "./held-out";
import type { PromptMessage, Selection, SimilarityFloor } from "./schemas";
import { answerText } from "./verdict/answer-text";
import { isSame } from "./verdict/judge";
import { floorsOf } from "./verdict/right";
import { groupedWithTaught, oneOfEachFirst } from "./verdict/unseen";

/** Candidates that are examined for near copies in training. */
const EXAMINED_MAX = 5_000;
/** Answers from which the floor of similarity is measured. */
const REFERENCES_READ = 600;

export type EvaluationChoice = {
  checkpointId: string;
  kind: (typeof EVALUATION_KINDS)[number];
  baselineCheckpointId?: string | undefined;
  findingId?: string | undefined;
  maxRows: number;
  /** Only Examples that preserve successful behaviour, if there are any. */
  preserveSet?: boolean;
};

/** A prompt to answer, and its source. */
export type NewRow = {
  datasetId: string | null;
  exampleId: string | null;
  conversationId: string | null;
  prompt: PromptMessage[];
  /** For a replay with tools: what a connected model is sent. */
  request: ReplayRequest | null;
  expected: string;
  /** What a right answer says, where it is known. */
  reference: string | null;
  /** Rows with the same number belong together: of one conversation or user, or near copies. */
  group: number;
};

/** What answers after: a checkpoint on a trainer, or a variant, compared with what a connected model is sent today. */
export type Compared =
  | { checkpointId: string; trainerId: string; baselineCheckpointId: string | null }
  | { variantId: string; baseline: Endpoint; maxCost: number | null };

/** An evaluation that is ready to start. */
export type PreparedEvaluation = {
  compared: Compared;
  dataset: { id: string; version: number } | null;
  rule: FrozenRule | null;
  rows: NewRow[];
  selection: Selection;
  floors: SimilarityFloor[];
};

type Model = { checkpoint: typeof checkpoints.$inferSelect; job: typeof trainingJobs.$inferSelect };

async function modelsOf({ db, projectId }: Ctx, ids: readonly string[]): Promise<Map<string, Model>> {
  const rows = await db
    .select({ checkpoint: checkpoints, job: trainingJobs })
    .from(checkpoints)
    .innerJoin(
      trainingJobs,
      and(eq(trainingJobs.projectId, checkpoints.projectId), eq(trainingJobs.id, checkpoints.jobId)),
    )
    .where(and(eq(checkpoints.projectId, projectId), inArray(checkpoints.id, [...ids])));
  return new Map(rows.map((row) => [row.checkpoint.id, row]));
}

/**
 * Chooses what is compared and on which prompts. Throws 404 for a checkpoint or a Finding that does not exist in the project,
 * and 422 with the reason if nothing can be compared.
 */
export async function prepareEvaluation(ctx: Ctx, input: EvaluationChoice): Promise<PreparedEvaluation> {
  await requireTrainer(ctx);
  const { checkpointId } = input;
  const model = (await modelsOf(ctx, [checkpointId])).get(checkpointId);
  if (!model) throw notFound("The checkpoint");
  requireFiles(model, "/checkpointId");
  // A job that continues from a checkpoint trained that checkpoint, not the base model.
  const baselineId = input.baselineCheckpointId ?? model.job.parentCheckpointId;
  if (baselineId !== null) await requireBaseline(ctx, model, baselineId);
  const taught = baselineId === null ? [checkpointId] : [checkpointId, baselineId];
  const compared = { checkpointId, trainerId: model.job.trainerId ?? "", baselineCheckpointId: baselineId };
  if (input.findingId !== undefined) {
    const skip = await taughtConversations(ctx, taught);
    const { models: _, ...replays } = await replaysOf(ctx, input.findingId, {
      taught,
      skip,
      limit: input.maxRows,
      withTools: false,
    });
    return { compared, dataset: null, ...replays };
  }
  const dataset = { id: model.job.datasetId, version: model.job.datasetVersion };
  return { compared, dataset, rule: null, ...(await examplesOf(ctx, dataset, taught, input)) };
}

function requireFiles({ checkpoint }: Model, path: string) {
  if (checkpoint.state === "stored") return;
  throw unprocessable(path, "The files of this checkpoint were deleted, per the settings of its job. Choose another.");
}

async function requireBaseline(ctx: Ctx, { checkpoint, job }: Model, baselineId: string) {
  const path = "/baselineCheckpointId";
  const baseline = (await modelsOf(ctx, [baselineId])).get(baselineId);
  if (!baseline) throw unprocessable(path, "The checkpoint was not found in this project.");
  requireFiles(baseline, path);
  if (baselineId === checkpoint.id) throw unprocessable(path, "Compare the checkpoint with another one.");
  if (baseline.job.trainerId !== job.trainerId) {
    throw unprocessable(path, "Both checkpoints must be on the same trainer. Choose another, or leave it out.");
  }
}

/** Chooses held-out Examples of a Dataset's version that none of the checkpoints was trained on. Throws 422 if there are none. */
export async function examplesOf(
  ctx: Ctx,
  { id, version }: { id: string; version: number },
  checkpointIds: readonly string[],
  { maxRows, preserveSet = false }: Pick<EvaluationChoice, "maxRows" | "preserveSet">,
) {
  const preserveSetOnly = preserveSet && (await hasPreserveSet(ctx, id, version));
  const input = { datasetId: id, version, checkpointIds, limit: EXAMINED_MAX, preserveSetOnly };
  const { examples: heldOut, available, trainedOn, notText } = await readHeldOut(ctx, input);
  if (heldOut.length === 0) throw unprocessable("/checkpointId", noneHeldOut(version, { trainedOn, notText }));
  const { chosen: examples, ...seen } = await unseenFirst(
    ctx,
    checkpointIds,
    heldOut,
    maxRows,
    ({ expected }) => expected,
  );
  const inTest = examples.filter(({ split }) => split === "test").length;
  const selection: Selection = {
    available,
    selected: examples.length,
    splits: { test: inTest, validation: examples.length - inTest },
    trainedOn,
    notText,
    changed: 0,
    preserveSetOnly,
    ...seen,
  };
  const rows = examples.map(
    ({ datasetId, exampleId, prompt, expected, group }): NewRow => ({
      datasetId,
      exampleId,
      conversationId: null,
      prompt,
      request: null,
      expected,
      reference: expected,
      group,
    }),
  );
  const floors = floorsOf(await answersLike(ctx, { datasetId: id, version }, REFERENCES_READ));
  return { rows, selection, floors };
}

type Prompted = { conversationId: string | null; userId: string | null; prompt: PromptMessage[] };

/**
 * Chooses what none of the models has seen: neither itself nor, in training, a near copy or an Example of the same user. Where
 * nothing else is left, everything is compared, and the result proves nothing.
 */
async function unseenFirst<One extends Prompted>(
  ctx: Ctx,
  checkpointIds: readonly string[],
  candidates: readonly One[],
  limit: number,
  answerOf: (one: One) => string | null,
) {
  const likeness = candidates.map((one) => ({
    conversationId: one.conversationId,
    userId: one.userId,
    messages: one.prompt.filter(({ role }) => role !== "system"),
    answer: answerOf(one),
  }));
  const { groups, isSeen, dropped } = await groupedWithTaught(ctx, checkpointIds, likeness);
  const all = candidates.map((one, at) => ({ ...one, group: groups[at]!, isSeen: isSeen[at]! }));
  const unseen = all.filter((one) => !one.isSeen);
  const nearCopies = all.length - unseen.length;
  const chosen = oneOfEachFirst(unseen.length > 0 ? unseen : all).slice(0, limit);
  return { chosen, nearCopies, seenOnly: unseen.length === 0, groupsWithout: dropped };
}

function noneHeldOut(version: number, { trainedOn, notText }: { trainedOn: number; notText: number }) {
  const why = [
    ...(trainedOn > 0 ? [`${trainedOn.toLocaleString("en")} were trained on`] : []),
    ...(notText > 0 ? [`${notText.toLocaleString("en")} have no answer`] : []),
  ];
  const left = why.length === 0 ? "" : ` Of those in the test and validation splits, ${why.join(", ")}.`;
  return `Version ${version} of the Dataset has no held-out Examples.${left} Move some Examples to the test split, and train again.`;
}

/** `withTools`: answers after tool calls, too, which only a connected model can be asked for. */
type ReplaysOf = { taught: readonly string[]; skip: ReadonlySet<string>; limit: number; withTools: boolean };

/** Chooses conversations of a Finding that none of the checkpoints was taught, without those to skip. Throws 422 if there are none. */
export async function replaysOf(
  ctx: Ctx,
  findingId: string,
  { taught: checkpointIds, skip, limit, withTools }: ReplaysOf,
) {
  const found = await findReplays(ctx, findingId, { limit: Math.min(EXAMINED_MAX, limit * 2), skip, withTools });
  const { rule, replays, skipped, notText, changed } = found;
  if (replays.length === 0) {
    const why = [
      ...(skipped > 0 ? [`${skipped.toLocaleString("en")} were trained on or written with`] : []),
      ...(notText > 0
        ? [
            `${notText.toLocaleString("en")} ${withTools ? "use attachments, or tools whose definitions or results were not recorded," : "use tools or attachments,"} or are too long`,
          ]
        : []),
      ...(changed > 0 ? [`in ${changed.toLocaleString("en")} the Rule no longer reports the answer`] : []),
    ];
    const left = why.length === 0 ? "" : ` Of its conversations, ${why.join(", ")}.`;
    throw unprocessable("/findingId", `No conversation of this Finding can be replayed.${left}`);
  }
  const users = await usersOf(
    ctx,
    replays.map(({ conversationId }) => conversationId),
  );
  const prompted = replays.map((replay) => ({
    ...replay,
    prompt: replay.prompt.map(shownMessage),
    request: requestOf(replay),
    userId: users.get(replay.conversationId) ?? null,
  }));
  const references = await referencesFor(ctx, prompted);
  const referenceOf = ({ conversationId, turn }: { conversationId: string; turn: number }) =>
    references.get(`${conversationId} ${turn}`) ?? null;
  const { chosen, ...seen } = await unseenFirst(ctx, checkpointIds, prompted, limit, referenceOf);
  const selection: Selection = {
    available: found.isWhole ? replays.length : null,
    selected: chosen.length,
    splits: null,
    trainedOn: skipped,
    notText,
    changed,
    preserveSetOnly: false,
    ...seen,
  };
  const rows = chosen.map(({ conversationId, turn, prompt, request, recorded, group }): NewRow => {
    const reference = referenceOf({ conversationId, turn });
    return {
      datasetId: null,
      exampleId: null,
      conversationId,
      prompt,
      request,
      expected: recorded,
      // The recorded answer is the faulty one, whatever an Example says of it.
      reference:
        reference !== null && isSame(reference, { content: recorded, finishReason: "stop" }) ? null : reference,
      group,
    };
  });
  const withReference = chosen.flatMap((one, at) => (rows[at]!.reference === null ? [] : [one.conversationId]));
  const answers =
    withReference.length === 0 ? [] : await answersLike(ctx, { conversationIds: withReference }, REFERENCES_READ);
  const models = chosen.map(({ model }) => model);
  return { rule, rows, selection, floors: floorsOf(answers), models };
}

/** What a connected model is sent of a replay, and what the tools that it may call returned. */
export type ReplayRequest = { messages: ReplayedMessage[]; tools: ToolDefinition[]; recorded: RecordedCall[] };

export const requestOf = ({ prompt, tools }: Pick<Replay, "prompt" | "tools">): ReplayRequest | null =>
  tools && { messages: prompt, tools: tools.definitions, recorded: tools.recorded };

/** Returns a message as it is shown: calls of tools as a JSON list of names and arguments. */
export const shownMessage = ({ role, content, tool_calls: calls = [] }: ReplayedMessage): PromptMessage => ({
  role,
  content: answerText(
    content,
    calls.map((call) => call.function),
  ),
});

async function usersOf({ db, projectId }: Ctx, ids: readonly string[]): Promise<Map<string, string>> {
  const rows = await db
    .select({ id: conversations.id, userId: conversations.userId })
    .from(conversations)
    .where(and(eq(conversations.projectId, projectId), isOneOf(conversations.id, ids)));
  return new Map(rows.flatMap(({ id, userId }) => (userId === null ? [] : [[id, userId] as const])));
}
