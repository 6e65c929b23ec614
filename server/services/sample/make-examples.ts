import { and, desc, eq } from "drizzle-orm";
import { isOneOf } from "@/db/rows";
import { conversations, datasets, findings } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { addConversationsToDatasets } from "@/server/services/collection";
import { createDataset, listExamples, updateExample } from "@/server/services/datasets";
import { germanFor } from "./story/german";
import { answeredInGerman, PLANTED } from "./story/plan";

export const SAMPLE_DATASET = "Answers in the customer's language";
const EXAMPLES_MAX = 100;

/**
 * Makes Examples: to train on, the conversations that were answered in German, and to test on, those of the Finding of wrong
 * languages with the answers that they should have had. No customer, question or answer is in both.
 */
export async function makeExamples(ctx: Ctx): Promise<boolean> {
  const finding = await findingOf(ctx, PLANTED.englishInstead);
  if (!finding) return true;
  const datasetId = await datasetOf(ctx);
  const conversationIds = await conversationsIn(ctx, answeredInGerman());
  if (conversationIds.length > 0)
    await addConversationsToDatasets(ctx, { datasetIds: [datasetId], conversationIds, tags: ["german"] });
  await addConversationsToDatasets(ctx, { datasetIds: [datasetId], findingId: finding.id, tags: ["corrected"] });
  const { examples } = await listExamples(ctx, { datasetId, limit: EXAMPLES_MAX });
  for (const example of examples) {
    const german = germanFor(textOf(example.payload.expectedOutput.message.content));
    const split = german === undefined && !example.tags.includes("corrected") ? "train" : "test";
    // Already done by a run that was interrupted.
    if (german === undefined && example.split === split) continue;
    await updateExample(ctx, {
      datasetId,
      exampleId: example.id,
      split,
      ...(german === undefined
        ? {}
        : {
            payload: {
              ...example.payload,
              expectedOutput: { type: "chat_message", message: { role: "assistant", content: german } },
            },
          }),
    });
  }
  return true;
}

const textOf = (content: unknown) => (typeof content === "string" ? content : "");

/** Returns the conversations of these customers. */
async function conversationsIn({ db, projectId }: Ctx, userIds: readonly string[]): Promise<string[]> {
  const found = await db
    .select({ id: conversations.id })
    .from(conversations)
    .where(and(eq(conversations.projectId, projectId), isOneOf(conversations.userId, userIds)))
    .orderBy(conversations.id);
  return found.map(({ id }) => id);
}

/** Returns the largest Finding for a Rule's Signal. */
export async function findingOf({ db, projectId }: Ctx, { ruleId, signal }: { ruleId: string; signal: string }) {
  const [finding] = await db
    .select({ id: findings.id })
    .from(findings)
    .where(and(eq(findings.projectId, projectId), eq(findings.ruleId, ruleId), eq(findings.signal, signal)))
    .orderBy(desc(findings.occurrenceCount))
    .limit(1);
  return finding;
}

const datasetOf = (ctx: Ctx) =>
  datasetNamed(ctx, {
    name: SAMPLE_DATASET,
    description:
      "Questions in German: to train on, those that the agent answered in German; to test on, those that it answered in English, with German answers.",
  });

/** Returns the id of the Dataset with this name, which is created if there is none. */
export async function datasetNamed(ctx: Ctx, given: { name: string; description: string }): Promise<string> {
  const [known] = await ctx.db
    .select({ id: datasets.id })
    .from(datasets)
    .where(and(eq(datasets.projectId, ctx.projectId), eq(datasets.name, given.name)));
  return known?.id ?? (await createDataset(ctx, given)).dataset.id;
}
