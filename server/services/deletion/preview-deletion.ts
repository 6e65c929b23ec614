import { and, desc, eq } from "drizzle-orm";
import { PREVIEWED_TABLES, type PreviewFigure } from "@/db/deletion-registry";
import { conversations } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import { measuredRows } from "@/server/services/stored-sizes";
import { findConversation } from "@/server/services/telemetry";
import { CONVERSATIONS_COUNTED as COUNTED, impactOf } from "./impact";
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
    effect: "read",
    capability: "project:admin",
    input: deleteConversationInput,
    reply: previewDeletionReply,
  },
  async (ctx, { conversationId }) => {
    const { id } = await findConversation(ctx, conversationId);
    return { preview: await counted(ctx, "conversation", [id]) };
  },
);

async function ofProject(ctx: Ctx): Promise<DeletionPreview> {
  const preview = await counted(ctx, "project", await newest(ctx));
  if (preview.complete) return preview;
  const measured = await measuredRows(ctx);
  if (!measured) return preview;
  const figures = PREVIEWED_TABLES.map(({ table, figure }) => [figure, measured.of(table)]);
  return {
    scope: "project",
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

const ofUser = async (ctx: Ctx, userId: string) => counted(ctx, "user", await newest(ctx, userId));

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
): Promise<DeletionPreview> => ({
  scope,
  conversations: Math.min(found.length, COUNTED),
  ...(await impactOf(ctx, found.slice(0, COUNTED))),
  complete: found.length <= COUNTED,
  measuredAt: null,
});
