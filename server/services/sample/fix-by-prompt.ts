import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import {
  datasets,
  evaluations,
  findingEvents,
  fixes,
  promptLabelEvents,
  prompts,
  promptVersions,
  variants,
} from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { DAY_MS, MINUTE_MS } from "@/server/platform/durations";
import { addConversationsToDatasets } from "@/server/services/collection";
import { listExamples, updateExample } from "@/server/services/datasets";
import { markInThePast } from "@/server/services/diagnostics";
import { createPrompt, createPromptVersion, moveLabel } from "@/server/services/prompts";
import { playProof } from "@/server/services/proof";
import { datasetNamed, findingOf } from "./make-examples";
import { ADVICE_PROMPT, ADVICE_VERSIONS, adviceFor } from "./story/advice";
import { DAYS, PLANTED, SECOND_PROMPT_FROM_DAY } from "./story/plan";

export const ADVICE_DATASET = "Advice instead of refusals";
const EXAMPLES_MAX = 100;
const LIVE = "production";
const VARIANT = "Answer questions about everyday risks";

/**
 * Fixes the refusals of the advice agent as a team would without a trainer: corrected answers, a variant of the prompt, its
 * proof, and the prompt's second version, which is watched from its first conversation on.
 */
export async function fixByPrompt(ctx: Ctx, { until }: { until: number }): Promise<boolean> {
  const finding = await findingOf(ctx, PLANTED.refusedAdvice);
  // A user has deleted it in the meantime.
  if (!finding) return true;
  const at = (day: number) => until - (DAYS - day) * DAY_MS;
  await correctAnswers(ctx, finding.id, at(SECOND_PROMPT_FROM_DAY - 1));
  const [basedOn, systemPrompt] = ADVICE_VERSIONS;
  const played = await playProof(ctx, {
    name: VARIANT,
    model: "gpt-4.1-mini",
    basedOn,
    systemPrompt,
    note: "The prompt forbids advice that could hurt anybody. Stoves, knives and weather are what these customers ask about.",
    findingId: finding.id,
    answerTo: (refusal) => adviceFor(refusal)?.tried ?? refusal,
  });
  if (played) await proveAt(ctx, played, at(SECOND_PROMPT_FROM_DAY - 0.5));
  await inTransaction(ctx, async (tx) => {
    await markInThePast(tx, PLANTED.refusedAdvice, { at: at(SECOND_PROMPT_FROM_DAY - 1), fixed: false });
    await releasePrompt(tx, finding.id, at);
  });
  return true;
}

/** Holds out the conversations with the answers that they should have had. */
async function correctAnswers(ctx: Ctx, findingId: string, at: number): Promise<void> {
  const datasetId = await datasetNamed(ctx, {
    name: ADVICE_DATASET,
    description: "Questions that the advice agent declined, with the answers of people, to try another prompt on.",
  });
  await ctx.db
    .update(datasets)
    .set({ createdAt: at })
    .where(and(eq(datasets.projectId, ctx.projectId), eq(datasets.id, datasetId)));
  await addConversationsToDatasets(ctx, { datasetIds: [datasetId], findingId, tags: ["corrected"] });
  const { examples } = await listExamples(ctx, { datasetId, limit: EXAMPLES_MAX });
  for (const { id: exampleId, payload } of examples) {
    const { content } = payload.expectedOutput.message;
    const corrected = typeof content === "string" ? adviceFor(content)?.answer : undefined;
    // Already done by a run that was interrupted.
    if (corrected === undefined) continue;
    const message = { role: "assistant", content: corrected } as const;
    const expectedOutput = { type: "chat_message", message } as const;
    await updateExample(ctx, { datasetId, exampleId, split: "test", payload: { ...payload, expectedOutput } });
  }
}

const proveAt = (ctx: Ctx, { variantId, evaluationId }: { variantId: string; evaluationId: string }, at: number) =>
  inTransaction(ctx, async ({ db, projectId }) => {
    await db
      .update(variants)
      .set({ createdAt: at })
      .where(and(eq(variants.projectId, projectId), eq(variants.id, variantId)));
    const started = at + 10 * MINUTE_MS;
    await db
      .update(evaluations)
      .set({ createdAt: started, startedAt: started, finishedAt: started + MINUTE_MS })
      .where(and(eq(evaluations.projectId, projectId), eq(evaluations.id, evaluationId)));
  });

/** Writes both versions, each at its time, and lets clients get the second. */
async function releasePrompt(tx: Ctx, findingId: string, at: (day: number) => number): Promise<void> {
  const { db, projectId } = tx;
  const isIt = and(eq(prompts.projectId, projectId), eq(prompts.name, ADVICE_PROMPT));
  if ((await db.$count(prompts, isIt)) > 0) return;
  const [first, second] = ADVICE_VERSIONS;
  await createPrompt(tx, { name: ADVICE_PROMPT, content: first, labels: [LIVE] });
  const message = `${VARIANT}, version 1`;
  const { prompt } = await createPromptVersion(tx, { promptName: ADVICE_PROMPT, content: second, message });
  await moveLabel(tx, { promptName: ADVICE_PROMPT, label: LIVE, version: prompt.version });
  const [written, released] = [at(0), at(SECOND_PROMPT_FROM_DAY)];
  const ids = db.select({ id: prompts.id }).from(prompts).where(isIt);
  await db.update(prompts).set({ createdAt: written, updatedAt: released }).where(isIt);
  await db
    .update(promptVersions)
    .set({ createdAt: sql`case version when 1 then ${written}::bigint else ${released}::bigint end` })
    .where(and(eq(promptVersions.projectId, projectId), inArray(promptVersions.promptId, ids)));
  await db
    .update(promptLabelEvents)
    .set({ createdAt: sql`case to_version when 1 then ${written}::bigint else ${released}::bigint end` })
    .where(and(eq(promptLabelEvents.projectId, projectId), inArray(promptLabelEvents.promptId, ids)));
  await db
    .update(fixes)
    .set({ createdAt: released })
    .where(and(eq(fixes.projectId, projectId), eq(fixes.findingId, findingId), isNull(fixes.endedAt)));
  await db
    .update(findingEvents)
    .set({ at: released })
    .where(
      and(
        eq(findingEvents.projectId, projectId),
        eq(findingEvents.findingId, findingId),
        eq(findingEvents.kind, "fix_watched"),
      ),
    );
}
