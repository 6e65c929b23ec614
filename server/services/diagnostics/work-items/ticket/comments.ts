import { and, desc, eq } from "drizzle-orm";
import type { ticketChanges } from "@/db/schema";
import { findings, fixes } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { publicUrl } from "@/server/platform/public-url";
import { type FindingFix, REASON_WORDS } from "../../findings/schemas";
import { readWorkItem, type WorkItemRow } from "../rows";

type Change = Pick<typeof ticketChanges.$inferSelect, "reason">;
type Facts = Pick<typeof findings.$inferSelect, "occurrenceCount" | "lastDetectedAt" | "dismissalReason">;

/** Returns a comment in Markdown on what happened to a ticket's Finding, without content of conversations. */
export async function commentFor(ctx: Ctx, item: WorkItemRow, { reason }: Change): Promise<string> {
  if (reason === "merged" && item.replacedById !== null) return mergedWords(ctx, item.replacedById);
  const { findingId } = item;
  if (reason === "fix_proven" || reason === "fix_not_proven")
    return `${await fixWords(ctx, findingId, reason === "fix_proven" ? "proven" : "not_proven")}\n\n${linkTo(ctx, findingId)}`;
  const { occurrenceCount, lastDetectedAt, dismissalReason } = findings;
  const [finding] = await ctx.db
    .select({ occurrenceCount, lastDetectedAt, dismissalReason })
    .from(findings)
    .where(and(eq(findings.projectId, ctx.projectId), eq(findings.id, findingId)));
  return `${finding === undefined ? "" : wordsFor(reason, finding)}\n\n${linkTo(ctx, findingId)}`.trim();
}

/** Returns what conversations since a fix have shown, with the numbers that were measured last. */
async function fixWords(ctx: Ctx, findingId: string, verdict: "proven" | "not_proven"): Promise<string> {
  const [row] = await ctx.db
    .select({ measured: fixes.measured })
    .from(fixes)
    .where(and(eq(fixes.projectId, ctx.projectId), eq(fixes.findingId, findingId), eq(fixes.verdict, verdict)))
    .orderBy(desc(fixes.verdictAt), desc(fixes.id))
    .limit(1);
  const measured = row?.measured as Pick<FindingFix, "before" | "since" | "difference" | "value"> | null | undefined;
  const shareWords = ({ affected, conversations }: FindingFix["before"]) =>
    `${affected.toLocaleString("en")} of ${conversations.toLocaleString("en")} conversations`;
  const seen = measured
    ? ` ${shareWords(measured.before)} before, ${shareWords(measured.since)} since${measured.value === null ? "" : ` in ${measured.value}`}.${limitsWords(measured.difference)}`
    : "";
  return verdict === "proven"
    ? `The fix is proven: the rate fell.${seen}`
    : `The fix is not proven: whatever is still possible, the rate has not halved.${seen}`;
}

function limitsWords(difference: FindingFix["difference"]): string {
  if (difference === null) return "";
  const points = (rate: number) => (rate * 100).toFixed(1);
  return ` ${points(difference.rate)} points; 95% interval ${points(difference.low)} to ${points(difference.high)}.`;
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
