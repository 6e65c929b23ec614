import { NOW } from "@/db/now";
import { datasets } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { ServiceError } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { lockDataset } from "../examples/lock-dataset";
import { requireKnowledgeGoals } from "../goals/require-knowledge-goals";
import { datasetJson, isDataset, readDatasetRow } from "./read-dataset";
import { datasetReply, NEEDS_OBJECTIVE, updateDatasetInput } from "./schemas";

const conflict = (path: string, message: string) =>
  new ServiceError("conflict", message, { errors: [{ path, message }] });

export const updateDataset = verb(
  {
    name: "datasets.update",
    summary: "Change a Dataset's name, description or collection.",
    description:
      "`schema` is fixed: a different one is a 409. So is turning collection on without a `collectionObjective`, and removing the objective while it is on. `collectionEnabled: false` stops collection immediately. 422: `collectionFilters` names a Knowledge goal that the project does not have.",
    effect: "write",
    capability: "models:manage",
    input: updateDatasetInput,
    reply: datasetReply,
  },
  async (ctx, { datasetId, schema, ...change }) => {
    await lockDataset(ctx, datasetId);
    const before = await readDatasetRow(ctx, datasetId);
    if (schema && (schema.type !== before.schemaType || schema.version !== before.schemaVersion)) {
      throw conflict(
        "/schema",
        `The schema is fixed at creation: this Dataset is ${before.schemaType}/v${before.schemaVersion}. Create another Dataset for another schema.`,
      );
    }
    await requireKnowledgeGoals(ctx, change.collectionFilters?.knowledgeGoalIds);
    const after = { ...before, ...change };
    if (after.collectionEnabled && after.collectionObjective === null) {
      throw conflict(change.collectionEnabled ? "/collectionEnabled" : "/collectionObjective", NEEDS_OBJECTIVE);
    }
    const changed = Object.fromEntries(Object.keys(change).map((key) => [key, before[key as keyof typeof change]]));
    auditNote(ctx, { before: changed, after: change });
    await ctx.db
      .update(datasets)
      .set({ ...change, updatedAt: NOW })
      .where(isDataset(ctx, datasetId));
    return { dataset: datasetJson(await readDatasetRow(ctx, datasetId)) };
  },
);
