import { and, desc, eq, sql } from "drizzle-orm";
import { PREVIEWED_TABLES, type PreviewFigure } from "@/db/deletion-registry";
import { conversations } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import { measuredRows } from "@/server/services/stored-sizes";
import { findConversation } from "@/server/services/telemetry";
import { CONVERSATIONS_COUNTED as COUNTED, datasetImpactOf, impactOf } from "./impact";
import { type DeletionPreview, deleteConversationInput, previewDeletionInput, previewDeletionReply } from "./schemas";

export const previewDeletion = verb(
  {
    name: "deletions.preview",
    summary: "Count what a deletion would delete: an end user's data or, without a `userId`, the whole project.",
    description: `Counting stops at ${COUNTED} conversations; \`complete\` is then \`false\` and the actual figures are higher. For a larger project, the figures are those of the last measurement (\`measuredAt\`), if there is one.`,
    effect: "read",
    capability: "project:admin",
    input: previewDeletionInput,
    reply: previewDeletionReply,
  },
  async (ctx, { userId }) => ({ preview: userId === undefined ? await ofProject(ctx) : await ofUser(ctx, userId) }),
);

export const previewConversationDeletion = verb(
  {
    name: "deletions.previewConversation",
    summary: "Count what deleting a conversation would delete.",
    description:
      "Deletes nothing. Accepts Whetstone's id or the client's own. Findings without Occurrences elsewhere would be deleted; others stay and are recounted. `complete` is `false` where figures are lower bounds.",
    effect: "read",
    capability: "project:admin",
    input: deleteConversationInput,
    reply: previewDeletionReply,
  },
  async (ctx, { conversationId }) => {
    const { id } = await findConversation(ctx, conversationId);
    return { preview: { ...(await counted(ctx, "conversation", [id])), ...(await datasetImpactOf(ctx, [id])) } };
  },
);

async function ofProject(ctx: Ctx): Promise<DeletionPreview> {
  const preview = { ...(await counted(ctx, "project", await newest(ctx))), ...(await datasetsOfProject(ctx)) };
  if (preview.complete) return preview;
  const measured = await measuredRows(ctx);
  if (!measured) return preview;
  const figures = PREVIEWED_TABLES.map(({ table, figure }) => [figure, measured.of(table)]);
  return {
    ...preview,
    conversations: measured.of("conversations"),
    ...(Object.fromEntries(figures) as Record<PreviewFigure, number>),
    findings: measured.of("findings"),
    recountedFindings: 0,
    touchedFindings: [],
    oldestActivityAt: null,
    complete: true,
    measuredAt: measured.at,
  };
}

/** All current Examples and stored files: Datasets count the former themselves. */
async function datasetsOfProject({ db, projectId }: Ctx): Promise<Pick<DeletionPreview, "examples" | "files">> {
  const [counts] = await db.execute<{ examples: number; files: number }>(sql`
    select (select coalesce(sum(example_count), 0)::int from datasets where project_id = ${projectId}) as examples,
      (select count(*)::int from files where project_id = ${projectId} and state <> 'deleting') as files`);
  return counts!;
}

async function ofUser(ctx: Ctx, userId: string): Promise<DeletionPreview> {
  const found = await newest(ctx, userId);
  const ids = found.slice(0, COUNTED);
  return { ...(await counted(ctx, "user", found)), ...(await datasetImpactOf(ctx, ids, userId)) };
}

/** Returns the newest conversations, one more than is counted: the extra one shows that there are more. */
async function newest(ctx: Ctx, userId?: string): Promise<string[]> {
  const rows = await ctx.db
    .select({ id: conversations.id })
    .from(conversations)
    .where(
      and(
        eq(conversations.projectId, ctx.projectId),
        userId === undefined ? undefined : eq(conversations.userId, userId),
      ),
    )
    .orderBy(desc(conversations.startedAt), desc(conversations.id))
    .limit(COUNTED + 1);
  return rows.map(({ id }) => id);
}

/** Counts up to `COUNTED` of the conversations found. */
const counted = async (
  ctx: Ctx,
  scope: DeletionPreview["scope"],
  found: readonly string[],
): Promise<Omit<DeletionPreview, "examples" | "files">> => ({
  scope,
  conversations: Math.min(found.length, COUNTED),
  ...(await impactOf(ctx, found.slice(0, COUNTED))),
  complete: found.length <= COUNTED,
  measuredAt: null,
});
