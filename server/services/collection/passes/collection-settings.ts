import { eq } from "drizzle-orm";
import { type datasets, diagnosticSettings, knowledgeGoals } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import type { CollectionSettings, Goal } from "../proposals";

/** What a Dataset collects, and how it is masked. */
export type Collecting = CollectionSettings & {
  datasetId: string;
  goals: readonly Goal[];
  /** Whether the connected model is asked for better answers. */
  asksModel: boolean;
};

type Settings = Pick<typeof datasets.$inferSelect, "id" | "collectionFilters" | "collectionAsksModel"> & {
  objective: CollectionSettings["objective"];
};

/** Returns whether the Dataset still has the settings that it had when the conversations were read. */
export const isStill = (
  row: Pick<typeof datasets.$inferSelect, "collectionObjective" | "collectionFilters" | "collectionAsksModel">,
  { objective, filters, asksModel }: Collecting,
) =>
  row.collectionObjective === objective &&
  row.collectionAsksModel === asksModel &&
  JSON.stringify(row.collectionFilters) === JSON.stringify(filters);

/** Returns the settings of Datasets, each with the goals that it collects for. */
export async function collectingOf(ctx: Ctx, rows: readonly Settings[]): Promise<Collecting[]> {
  if (rows.length === 0) return [];
  const masking = await maskingOf(ctx);
  const goals = await goalsOf(ctx, rows);
  return rows.map(({ id, objective, collectionFilters, collectionAsksModel: asksModel }) => {
    const only = collectionFilters.knowledgeGoalIds;
    return {
      datasetId: id,
      objective,
      filters: collectionFilters,
      masking,
      asksModel,
      goals: only === undefined ? goals : goals.filter((goal) => only.includes(goal.id)),
    };
  });
}

/** Returns the project's setting for personal data and secrets. */
export async function maskingOf({ db, projectId }: Ctx) {
  const [row] = await db
    .select({ masking: diagnosticSettings.collectionMasking })
    .from(diagnosticSettings)
    .where(eq(diagnosticSettings.projectId, projectId));
  return row?.masking ?? "mask";
}

async function goalsOf({ db, projectId }: Ctx, rows: readonly Settings[]): Promise<Goal[]> {
  if (!rows.some(({ objective }) => objective === "teach_project_knowledge")) return [];
  const { id, title, description, keyPhrases } = knowledgeGoals;
  return db
    .select({ id, title, description, keyPhrases })
    .from(knowledgeGoals)
    .where(eq(knowledgeGoals.projectId, projectId))
    .orderBy(knowledgeGoals.createdAt, id);
}
