import { and, eq } from "drizzle-orm";
import { findings, projects } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { publicUrl } from "@/server/platform/public-url";
import { renderTicket, type Templates, type TicketFacts } from "@/server/services/tickets";
import { basisOfFinding, judgedFindings } from "../../findings/judged-findings";
import { clearestOccurrences } from "../../findings/list-occurrences";
import { PlaceholderMask } from "../../masking";
import type { ConfidenceBasis } from "../../schemas";

const OCCURRENCES = 3;
const QUOTES = 3;
const QUOTE_MAX = 600;

/** Composes a Finding's ticket from the Finding as it is now. `masked` counts the places that are masked. */
export async function composeTicket(ctx: Ctx, findingId: string, templates: Templates) {
  const mask = new PlaceholderMask();
  const facts = await factsOf(ctx, findingId, mask);
  const { title, body } = await renderTicket(ctx.projectId, templates, facts);
  return { title, body, masked: mask.count };
}

async function factsOf(ctx: Ctx, findingId: string, mask: PlaceholderMask): Promise<TicketFacts> {
  const [row] = await ctx.db
    .select({ finding: findings, project: projects.name })
    .from(findings)
    .innerJoin(projects, eq(projects.id, findings.projectId))
    .where(and(eq(findings.projectId, ctx.projectId), eq(findings.id, findingId)));
  if (!row) throw notFound("Finding");
  const { finding, project } = row;
  const occurrences = await clearestOccurrences(ctx, finding, OCCURRENCES);
  const page = `p/${ctx.projectId}`;
  return {
    project: { name: project },
    finding: {
      id: finding.id,
      title: mask.text(finding.title),
      summary: mask.text(finding.summary),
      severity: finding.severity,
      rule: finding.ruleId,
      signal: finding.signal,
      confidence: confidenceText(
        finding.diagnosticScoreParts.confidence,
        basisOfFinding(await judgedFindings(ctx), finding),
      ),
      conversations: finding.occurrenceCount,
      users: finding.userCount,
      cost: costText(finding),
      firstSeen: day(finding.firstDetectedAt),
      lastSeen: day(finding.lastDetectedAt),
      url: publicUrl(`${page}/findings/${finding.id}`),
    },
    occurrences: occurrences.map((one) => ({
      conversation: one.conversationId,
      url: publicUrl(`${page}/conversations/${one.conversationId}`),
      summary: mask.text(one.summary),
      quotes: one.evidence
        .filter(({ quote }) => quote.trim() !== "")
        .slice(0, QUOTES)
        .map(({ quote }) => shortened(mask.text(quote))),
    })),
  };
}

const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** Returns the known cost, with the number of calls that it excludes because they have no price; `null` if none is known. */
function costText({ affectedCost, unpricedCallCount }: typeof findings.$inferSelect): string | null {
  if (affectedCost === null) return null;
  const sum = `${Number(affectedCost).toFixed(2)} USD`;
  return unpricedCallCount === 0 ? sum : `${sum} and ${unpricedCallCount.toLocaleString("en")} calls without a price`;
}

const percent = (share: number) => Math.round(share * 100);

function confidenceText(value: number, { basis, n, interval }: ConfidenceBasis): string {
  const counted = interval
    ? ` (n = ${n}, ${percent(interval.low)} to ${percent(interval.high)} %)`
    : n > 0
      ? ` (n = ${n})`
      : "";
  return `${percent(value)} %, ${basis}${counted}`;
}

const shortened = (quote: string) => (quote.length <= QUOTE_MAX ? quote : `${quote.slice(0, QUOTE_MAX - 1)}…`);
