import Link from "next/link";
import { ScrollPre } from "@/app/_components/layout/scroll-pre";
import { Ago } from "@/app/_components/values/ago";
import { InlineCode } from "@/app/_components/values/inline-code";
import { formatPercent } from "@/app/_lib/format";
import { basisText } from "@/app/p/[projectId]/_components/findings/confidence";
import type { FindingDetail, Occurrence } from "@/server/services/diagnostics/schemas";
import classes from "./finding-page.module.css";
import { quotesOf } from "./quotes-of";

const QUOTES_SHOWN = 6;
const PLACES_SHOWN = 12;

/** Returns the conversation's URL at the turn (or the span) that the evidence quotes. */
export function turnHref(
  projectId: string,
  conversationId: string,
  evidence: Occurrence["evidence"][number] | undefined,
) {
  const page = `/p/${projectId}/conversations/${encodeURIComponent(conversationId)}`;
  if (evidence?.messageIndex != null) return `${page}#m-${evidence.messageIndex}`;
  return evidence?.spanId ? `${page}?tab=spans&span=${evidence.spanId}` : page;
}

/** Why this is a Finding: the Rule's explanation of its clearest occurrence, with the quoted evidence. */
export function Why({ projectId, finding }: { projectId: string; finding: FindingDetail }) {
  const clearest = finding.clearestOccurrence;
  return (
    <section id="why">
      <h2 className={classes.heading}>Why</h2>
      <p className={classes.summary}>
        <InlineCode text={clearest?.summary ?? finding.summary} />
      </p>
      {clearest ? (
        <>
          <ul className={classes.quotes}>
            {quotesOf(clearest.evidence)
              .slice(0, QUOTES_SHOWN)
              .map(({ text, places }) => (
                <li key={text} className={classes.quote}>
                  <ScrollPre className={classes.quoteText} label="Quote">
                    {text.trim() === "" ? "(nothing: the text is empty)" : text}
                  </ScrollPre>
                  <p className={classes.turns}>
                    {places.slice(0, PLACES_SHOWN).map((evidence) => (
                      <Link
                        key={`${evidence.messageIndex} ${evidence.spanId} ${evidence.start}`}
                        className={classes.turn}
                        href={turnHref(projectId, clearest.conversationId, evidence)}
                      >
                        {evidence.messageIndex === null ? "span" : `message ${evidence.messageIndex}`}
                      </Link>
                    ))}
                    {places.length > PLACES_SHOWN ? <span>and {places.length - PLACES_SHOWN} more</span> : null}
                  </p>
                </li>
              ))}
          </ul>
          <p className={classes.quiet} style={{ marginBlockStart: 8 }}>
            From the clearest occurrence, <Ago at={clearest.detectedAt} />: a score of {clearest.score.toFixed(2)} and{" "}
            {formatPercent(clearest.confidence)} confidence, {basisText(clearest.confidenceBasis)}.
          </p>
        </>
      ) : (
        <p className={classes.quiet}>No occurrences left: their conversations were deleted.</p>
      )}
    </section>
  );
}
