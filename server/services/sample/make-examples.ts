import { and, desc, eq } from "drizzle-orm";
import { datasets, findings } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { addConversationsToDatasets } from "@/server/services/collection";
import { createDataset, listExamples, updateExample } from "@/server/services/datasets";
import { germanFor, splitByTopic } from "./story/german";
import { PLANTED } from "./story/plan";

export const SAMPLE_DATASET = "Answers in the customer's language";
const EXAMPLES_MAX = 100;

/** Makes Examples from the Finding of wrong languages: its conversations with the answers that they should have had. */
export async function makeExamples(ctx: Ctx): Promise<boolean> {
  const finding = await findingOf(ctx, PLANTED.englishInstead);
  if (!finding) return true;
  const datasetId = await datasetOf(ctx);
  await addConversationsToDatasets(ctx, { datasetIds: [datasetId], findingId: finding.id, tags: ["german"] });
  const { examples } = await listExamples(ctx, { datasetId, limit: EXAMPLES_MAX });
  const asked = examples.map((example) => ({
    example,
    question: textOf(example.payload.input.messages.at(-1)?.content),
    answer: textOf(example.payload.expectedOutput.message.content),
  }));
  const { train } = splitByTopic(asked);
  for (const { example, question, answer } of asked) {
    const german = germanFor(answer);
    // Already corrected by a run that was interrupted.
    if (german === undefined) continue;
    await updateExample(ctx, {
      datasetId,
      exampleId: example.id,
      split: train.some((one) => one.question === question) ? "train" : "test",
      payload: {
        ...example.payload,
        expectedOutput: { type: "chat_message", message: { role: "assistant", content: german } },
      },
    });
  }
  return true;
}

const textOf = (content: unknown) => (typeof content === "string" ? content : "");

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

async function datasetOf(ctx: Ctx): Promise<string> {
  const [known] = await ctx.db
    .select({ id: datasets.id })
    .from(datasets)
    .where(and(eq(datasets.projectId, ctx.projectId), eq(datasets.name, SAMPLE_DATASET)));
  if (known) return known.id;
  const { dataset } = await createDataset(ctx, {
    name: SAMPLE_DATASET,
    description: "Questions that customers asked in German and the agent answered in English, with German answers.",
  });
  return dataset.id;
}
