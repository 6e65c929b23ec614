import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { codeReferences, ticketChanges, workItems } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { listPage } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { mergedWith, requireFinding } from "../findings/merged-with";
import { readWorkItem } from "./rows";
import {
  codeReferencesReply,
  findingWorkItemInput,
  listFindingWorkItemsInput,
  listTicketChangesInput,
  listWorkItemsInput,
  ticketChangesReply,
  workItemIdInput,
  workItemReply,
  workItemsReply,
} from "./schemas";
import { workItemAfter, workItemsJson } from "./work-item-json";

export const listWorkItems = verb(
  {
    name: "workItems.list",
    summary: "List the project's work items, newest first.",
    description: "`state` takes one or more values; `replaced` and `abandoned` ones are history.",
    effect: "read",
    capability: "diagnostics:read",
    input: listWorkItemsInput,
    reply: workItemsReply,
  },
  (ctx, { state, provider, ...page }) =>
    listed(ctx, { name: "workItems", state, provider }, page, [
      state && inArray(workItems.state, state),
      provider && eq(workItems.provider, provider),
    ]),
);

export const listFindingWorkItems = verb(
  {
    name: "workItems.listOfFinding",
    summary: "List a Finding's work items, newest first: the linked one, and those that were replaced or abandoned.",
    description: "Includes those of Findings that were merged into it.",
    effect: "read",
    capability: "diagnostics:read",
    input: listFindingWorkItemsInput,
    reply: workItemsReply,
  },
  async (ctx, { findingId, ...page }) => {
    await requireFinding(ctx, findingId);
    return listed(ctx, { name: "findingWorkItems", findingId }, page, [
      sql`${workItems.findingId} = any(${mergedWith(ctx, findingId)})`,
    ]);
  },
);

type Page = { limit: number; cursor?: string | undefined };

async function listed(
  ctx: Ctx,
  { name, ...filters }: { name: string } & Record<string, unknown>,
  { limit, cursor }: Page,
  wheres: readonly (SQL | undefined)[],
) {
  const { rows, nextCursor } = await listPage(
    { name, table: workItems, filters: { project: ctx.projectId, ...filters }, limit, cursor },
    (after) =>
      ctx.db
        .select()
        .from(workItems)
        .where(and(eq(workItems.projectId, ctx.projectId), ...wheres, after)),
  );
  return { workItems: await workItemsJson(ctx, rows), pagination: { limit, nextCursor } };
}

export const getWorkItem = verb(
  {
    name: "workItems.get",
    summary: "Read a work item.",
    description:
      "Its ticket in the tracker, the Finding that it is about, and the state of both. `error` says why the last call of the tracker failed, `nextAttemptAt` when it is tried again. `externalId`, `externalKey` and `url` are `null` until the ticket exists.",
    effect: "read",
    capability: "diagnostics:read",
    input: workItemIdInput,
    reply: workItemReply,
  },
  (ctx, { workItemId }) => workItemAfter(ctx, workItemId),
);

export const listTicketChanges = verb(
  {
    name: "workItems.changes",
    summary:
      "List what Whetstone did or is about to do to a ticket, and changes that it detected in the tracker, newest first.",
    description:
      "Changes that people made in the tracker are noted when Whetstone reads the ticket. `doneAt` is `null` until a change is done, `error` says why its last attempt failed. 404 if the work item belongs to another Finding.",
    effect: "read",
    capability: "diagnostics:read",
    input: listTicketChangesInput,
    reply: ticketChangesReply,
  },
  async (ctx, { findingId, workItemId, limit, cursor }) => {
    await readWorkItem(ctx, workItemId, findingId);
    const { rows, nextCursor } = await listPage(
      { name: "ticketChanges", table: ticketChanges, filters: { project: ctx.projectId, workItemId }, limit, cursor },
      (after) =>
        ctx.db
          .select()
          .from(ticketChanges)
          .where(and(eq(ticketChanges.projectId, ctx.projectId), eq(ticketChanges.workItemId, workItemId), after)),
    );
    return { changes: rows, pagination: { limit, nextCursor } };
  },
);

const REFERENCES_MAX = 200;

export const listCodeReferences = verb(
  {
    name: "workItems.references",
    summary: `List commits and pull requests that name a ticket, newest first, as reported by its tracker. At most ${REFERENCES_MAX}.`,
    description:
      "They are read with the ticket, so a new one appears after the next synchronisation. `state` is `null` for commits.",
    effect: "read",
    capability: "diagnostics:read",
    input: findingWorkItemInput,
    reply: codeReferencesReply,
  },
  async (ctx, { findingId, workItemId }) => {
    await readWorkItem(ctx, workItemId, findingId);
    const references = await ctx.db
      .select()
      .from(codeReferences)
      .where(and(eq(codeReferences.projectId, ctx.projectId), eq(codeReferences.workItemId, workItemId)))
      .orderBy(sql`${codeReferences.at} desc, ${codeReferences.id} desc`)
      .limit(REFERENCES_MAX);
    return { references };
  },
);
