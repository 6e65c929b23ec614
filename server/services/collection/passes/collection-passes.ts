import { and, eq } from "drizzle-orm";
import { collectionPasses } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { idOfActor } from "@/server/platform/context";
import { listPage } from "@/server/platform/cursor";
import { notFound, ServiceError, unprocessable } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { collectionPassRequested } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { verb } from "@/server/platform/verb";
import { lockDataset, readDatasetRow } from "@/server/services/datasets";
import { endPass } from "./end-pass";
import { isFinished, isPass, passJson } from "./passes";
import {
  collectionPassesReply,
  collectionPassIdInput,
  collectionPassReply,
  createCollectionPassInput,
  listCollectionPassesInput,
} from "./schemas";
import { countInWindow } from "./settled-conversations";

export const createCollectionPass = verb(
  {
    name: "collectionPasses.create",
    summary: "Collect Examples from the conversations of a past time window, in the background.",
    description:
      "Reads conversations whose last activity lies in `[startMs, endMs)` (Unix ms), newest first, at most `maxConversations`, for the Dataset's objective. What was collected before is not collected again. Conversations that are not settled (active, or being diagnosed) are counted as `not_settled` and left to automatic collection. 422 without an objective; 409 while `collectionEnabled` is false.",
    effect: "write",
    capability: "models:manage",
    input: createCollectionPassInput,
    reply: collectionPassReply,
  },
  async (ctx, { datasetId, maxConversations, ...window }) => {
    await lockDataset(ctx, datasetId);
    const dataset = await readDatasetRow(ctx, datasetId);
    if (dataset.collectionObjective === null)
      throw unprocessable("/datasetId", "The Dataset has no collectionObjective. Set one first.");
    if (!dataset.collectionEnabled) throw new ServiceError("conflict", "Collection is turned off. Turn it on first.");
    const [row] = await ctx.db
      .insert(collectionPasses)
      .values({
        projectId: ctx.projectId,
        id: newId("cp"),
        datasetId,
        origin: "backfill",
        ...window,
        status: "queued",
        conversationsExpected: await countInWindow(ctx, window, maxConversations),
        actorKind: ctx.actor.kind,
        actorId: idOfActor(ctx.actor),
      })
      .returning();
    if (!row) throw new Error("The insert of a collection pass returned no row.");
    auditNote(ctx, {
      target: { type: "collectionPass", id: row.id },
      after: { datasetId, ...window, maxConversations },
    });
    await emit(ctx.db, collectionPassRequested.create({ projectId: ctx.projectId, collectionPassId: row.id }));
    return { collectionPass: passJson(row) };
  },
);

export const listCollectionPasses = verb(
  {
    name: "collectionPasses.list",
    summary: "List a Dataset's collection passes, newest first, with their progress.",
    description:
      "Passes that a person requested (`backfill`) and those that read conversations as they settle (`automatic`). `proposed` Examples were collected from `conversationsRead` conversations; `left` counts what was left out, by reason.",
    effect: "read",
    capability: "workspace:read",
    input: listCollectionPassesInput,
    reply: collectionPassesReply,
  },
  async (ctx, { datasetId, limit, cursor }) => {
    await readDatasetRow(ctx, datasetId);
    const { rows, nextCursor } = await listPage(
      {
        name: "collection-passes",
        table: collectionPasses,
        filters: { project: ctx.projectId, datasetId },
        limit,
        cursor,
      },
      (after) =>
        ctx.db
          .select()
          .from(collectionPasses)
          .where(and(eq(collectionPasses.projectId, ctx.projectId), eq(collectionPasses.datasetId, datasetId), after)),
    );
    return { collectionPasses: rows.map(passJson), nextCursor };
  },
);

export const getCollectionPass = verb(
  {
    name: "collectionPasses.get",
    summary: "Read one collection pass with its progress and what it skipped.",
    description:
      "`conversationsRead` of about `conversationsExpected` are done. `left` counts what was not collected, by reason. `error` says why a pass was cancelled or failed. 404 if the pass belongs to another Dataset.",
    effect: "read",
    capability: "workspace:read",
    input: collectionPassIdInput,
    reply: collectionPassReply,
  },
  async (ctx, { datasetId, collectionPassId }) => {
    await readDatasetRow(ctx, datasetId);
    const [row] = await ctx.db.select().from(collectionPasses).where(isPass(ctx, collectionPassId));
    if (row?.datasetId !== datasetId) throw notFound("The collection pass");
    return { collectionPass: passJson(row) };
  },
);

export const cancelCollectionPass = verb(
  {
    name: "collectionPasses.cancel",
    summary: "Cancel a collection pass. What it has proposed is kept.",
    description: "A pass that has ended is a 409.",
    effect: "write",
    capability: "models:manage",
    input: collectionPassIdInput,
    reply: collectionPassReply,
  },
  async (ctx, { datasetId, collectionPassId }) => {
    const dataset = await lockDataset(ctx, datasetId);
    const [row] = await ctx.db.select().from(collectionPasses).where(isPass(ctx, collectionPassId)).for("update");
    if (row?.datasetId !== datasetId) throw notFound("The collection pass");
    if (isFinished(row)) throw new ServiceError("conflict", "The collection pass has ended.");
    await endPass(ctx, dataset, row, { status: "cancelled", error: "The collection pass was cancelled." });
    auditNote(ctx, {
      target: { type: "collectionPass", id: row.id },
      before: { status: row.status },
      after: { status: "cancelled" },
    });
    const [after] = await ctx.db.select().from(collectionPasses).where(isPass(ctx, collectionPassId));
    return { collectionPass: passJson(after!) };
  },
);
