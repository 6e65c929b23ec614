import { datasets } from "@/db/schema";
import { auditActor, auditNote } from "@/server/platform/audit";
import { newId } from "@/server/platform/ids";
import { verb } from "@/server/platform/verb";
import { requireKnowledgeGoals } from "../goals/require-knowledge-goals";
import { datasetJson, readDatasetRow } from "./read-dataset";
import { createDatasetInput, datasetReply } from "./schemas";

export const createDataset = verb(
  {
    name: "datasets.create",
    summary: "Create a Dataset.",
    description:
      "Only `name` is required. `schema` cannot be changed later. `collectionEnabled` requires a `collectionObjective`; collected Examples wait for review unless `collectionReview` is `false`. 422: `collectionFilters` names a Knowledge goal that the project does not have.",
    effect: "write",
    capability: "models:manage",
    input: createDatasetInput,
    reply: datasetReply,
  },
  async (ctx, { schema, ...fields }) => {
    await requireKnowledgeGoals(ctx, fields.collectionFilters.knowledgeGoalIds);
    const id = newId("ds");
    await ctx.db.insert(datasets).values({
      projectId: ctx.projectId,
      id,
      ...fields,
      schemaType: schema.type,
      schemaVersion: schema.version,
      actorKind: ctx.actor.kind,
      actorId: auditActor(ctx.actor).id,
    });
    auditNote(ctx, { target: { type: "dataset", id }, after: { ...fields, schema } });
    return { dataset: datasetJson(await readDatasetRow(ctx, id)) };
  },
);
