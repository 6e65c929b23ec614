import { desc, sql } from "drizzle-orm";
import { findings } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import { connectionFor } from "./connection-for";
import { linkedItem } from "./rows";
import { PREVIEW_MAX, previewHandOffInput, previewHandOffReply } from "./schemas";
import { composeTicket } from "./ticket/compose-ticket";

export const previewHandOff = verb(
  {
    name: "workItems.preview",
    summary: "Read what would be sent to an issue tracker for some Findings. Nothing is created.",
    description: `At most ${PREVIEW_MAX} Findings; by default the newest. Templates are Liquid; an error in one is a 422 that says where. \`titleTemplate\` and \`bodyTemplate\` override the connection's, and \`null\` is Whetstone's default.`,
    effect: "read",
    capability: "diagnostics:read",
    input: previewHandOffInput,
    reply: previewHandOffReply,
  },
  async (ctx, { findingIds, destination, titleTemplate, bodyTemplate, ...input }) => {
    const { settings } = await connectionFor(ctx, input);
    const templates = {
      titleTemplate: titleTemplate === undefined ? settings.titleTemplate : titleTemplate,
      bodyTemplate: bodyTemplate === undefined ? settings.bodyTemplate : bodyTemplate,
    };
    const tickets = [];
    for (const findingId of findingIds ?? (await newest(ctx))) {
      const linked = await linkedItem(ctx, findingId);
      const problem = linked ? `It already has a ticket: ${linked.externalKey ?? linked.state}.` : null;
      tickets.push({ findingId, ...(await composeTicket(ctx, findingId, templates)), problem });
    }
    return { destination: destination ?? settings.defaultDestination, labels: settings.labels, tickets };
  },
);

async function newest(ctx: Ctx): Promise<string[]> {
  const rows = await ctx.db
    .select({ id: findings.id })
    .from(findings)
    .where(sql`${findings.projectId} = ${ctx.projectId} and merged_into_id is null`)
    .orderBy(desc(findings.lastDetectedAt), desc(findings.id))
    .limit(1);
  return rows.map(({ id }) => id);
}
