import { and, eq } from "drizzle-orm";
import type { ticketChanges } from "@/db/schema";
import { findings } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { publicUrl } from "@/server/platform/public-url";
import { REASON_WORDS } from "../../findings/schemas";
import { readWorkItem, type WorkItemRow } from "../rows";

type Change = Pick<typeof ticketChanges.$inferSelect, "reason">;
type Facts = Pick<typeof findings.$inferSelect, "occurrenceCount" | "lastDetectedAt" | "dismissalReason">;

/** Returns a comment in Markdown on what happened to a ticket's Finding, without content of conversations. */
export async function commentFor(ctx: Ctx, item: WorkItemRow, { reason }: Change): Promise<string> {
  if (reason === "merged" && item.replacedById !== null) return mergedWords(ctx, item.replacedById);
  const { findingId } = item;
  const { occurrenceCount, lastDetectedAt, dismissalReason } = findings;
  const [finding] = await ctx.db
    .select({ occurrenceCount, lastDetectedAt, dismissalReason })
    .from(findings)
    .where(and(eq(findings.projectId, ctx.projectId), eq(findings.id, findingId)));
  return `${finding === undefined ? "" : wordsFor(reason, finding)}\n\n${linkTo(ctx, findingId)}`.trim();
}

const linkTo = ({ projectId }: Ctx, findingId: string) =>
  `[Open the Finding in Whetstone](${publicUrl(`p/${projectId}/findings/${findingId}`)})`;

async function mergedWords(ctx: Ctx, replacedById: string): Promise<string> {
  const { findingId, externalKey, url } = await readWorkItem(ctx, replacedById);
  const ticket = externalKey !== null && url !== null ? ` Its ticket is [${externalKey}](${url}).` : "";
  return `Merged into another Finding in Whetstone.${ticket}\n\n${linkTo(ctx, findingId)}`;
}

function wordsFor(reason: Change["reason"], { occurrenceCount, lastDetectedAt, dismissalReason }: Facts): string {
  const seen = `It occurred in ${occurrenceCount.toLocaleString("en")} conversations, most recently on ${new Date(lastDetectedAt).toISOString().slice(0, 10)} (UTC).`;
  switch (reason) {
    case "regressed":
      return `Seen again after it was resolved. ${seen}`;
    case "reopened":
      return `Reopened in Whetstone. ${seen}`;
    case "resolved":
      return "Resolved in Whetstone.";
    case "dismissed":
      return `Dismissed in Whetstone${dismissalReason === null ? "" : ` as ${REASON_WORDS[dismissalReason]}`}.`;
    default:
      return seen;
  }
}
