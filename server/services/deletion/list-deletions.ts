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
    description:
      "One for each deletion of a conversation, of a user's data, or by retention. Who requested it, its progress, and the number of deleted rows by table. Receipts contain nothing of what was deleted.",
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
    description:
      "`counts` has the deleted rows by table, and `remaining` what a check afterwards still found (`null` before the check). `failedJobId` is the background job that stalls it: replay that to continue.",
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
