import { and, asc, eq } from "drizzle-orm";
import { occurrences } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { clearestOccurrences, getFinding } from "@/server/services/diagnostics";
import { type Copy, type CopyOptions, lockSources } from "./copy";

const OCCURRENCES = 3;
const QUOTES = 3;

/** Copies a Finding with quotes from the conversations that show it most clearly. */
export async function copyFinding(tx: Ctx, findingId: string, { redactor, includeCost }: CopyOptions): Promise<Copy> {
  const { finding } = await getFinding(tx, { findingId });
  const clearest = await clearestOccurrences(tx, finding, OCCURRENCES);
  const described = await describedBy(tx, findingId);
  await lockSources(tx, [described, ...clearest.map(({ conversationId }) => conversationId)]);
  const { severity, occurrenceCount, userCount, firstDetectedAt, lastDetectedAt, affectedCost, costComplete } = finding;
  return {
    of: { findingId },
    name: finding.title,
    parts: [
      {
        conversationId: described,
        content: {
          kind: "finding",
          title: redactor.title(finding.title),
          signal: finding.signal,
          summary: redactor.text(finding.summary),
          severity,
          conversations: occurrenceCount,
          users: userCount,
          firstSeen: firstDetectedAt,
          lastSeen: lastDetectedAt,
          cost: includeCost ? { usd: affectedCost, complete: costComplete } : null,
        },
      },
      ...clearest.map(({ conversationId, detectedAt, summary, evidence }) => ({
        conversationId,
        content: {
          kind: "occurrence" as const,
          at: detectedAt,
          summary: redactor.text(summary),
          quotes: [...new Set(evidence.map(({ quote }) => quote))]
            .filter((quote) => quote.trim() !== "")
            .slice(0, QUOTES)
            .map(redactor.text),
        },
      })),
    ],
  };
}

/** Returns the conversation whose occurrence gives the Finding its title and summary: the earliest. */
async function describedBy({ db, projectId }: Ctx, findingId: string): Promise<string> {
  const [earliest] = await db
    .select({ conversationId: occurrences.conversationId })
    .from(occurrences)
    .where(and(eq(occurrences.projectId, projectId), eq(occurrences.findingId, findingId)))
    .orderBy(asc(occurrences.detectedAt), asc(occurrences.conversationId))
    .limit(1);
  if (!earliest) throw notFound("An occurrence of the Finding");
  return earliest.conversationId;
}
