import { deletionReceipts } from "@/db/schema";
import { newestFirst } from "@/server/platform/cursor";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { readReceipt, readReceipts } from "./deletion-receipt";
import { deletionReply, deletionsReply, getDeletionInput, listDeletionsInput } from "./schemas";

export const listDeletions = verb(
  {
    name: "deletions.list",
    summary: "List deletion receipts, newest first.",
    effect: "read",
    capability: "project:admin",
    input: listDeletionsInput,
    reply: deletionsReply,
  },
  async (ctx, { limit, cursor }) => {
    const list = newestFirst({
      name: "deletions",
      filters: { project: ctx.projectId },
      time: deletionReceipts.createdAt,
      id: deletionReceipts.id,
      limit,
      cursor,
    });
    const rows = await readReceipts(ctx, list.after, { order: list.order, limit: list.fetch });
    const { rows: deletions, nextCursor } = list.page(rows, (row) => [row.createdAt, row.id]);
    return { deletions, pagination: { limit, nextCursor } };
  },
);

export const getDeletion = verb(
  {
    name: "deletions.get",
    summary: "Read one deletion receipt.",
    effect: "read",
    capability: "project:admin",
    input: getDeletionInput,
    reply: deletionReply,
  },
  async (ctx, { deletionId }) => {
    const deletion = await readReceipt(ctx, deletionId);
    if (!deletion) throw notFound("Deletion");
    return { deletion };
  },
);
