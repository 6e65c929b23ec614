import Link from "next/link";
import { InlineCode } from "@/app/_components/values/inline-code";
import { plural } from "@/app/_lib/format";
import { Confidence } from "@/app/p/[projectId]/_components/findings/confidence";
import { Severity } from "@/app/p/[projectId]/_components/findings/severity";
import type { Finding, Occurrence } from "@/server/services/diagnostics/schemas";
import classes from "./rail.module.css";

type Props = {
  projectId: string;
  findings: readonly Finding[];
  pairs: readonly { finding: Finding; occurrence: Occurrence }[];
  isPending: boolean;
  /** The URL of the conversation's page, if its turns are not on this page. */
  base?: string;
};

/** The conversation's Findings, each linked to the turn with its evidence. */
export function FindingsRail({ projectId, findings, pairs, isPending, base = "" }: Props) {
  if (isPending) return <p className={classes.quiet}>Looking for Findings…</p>;
  if (findings.length === 0) return <p className={classes.quiet}>No Finding in this conversation.</p>;
  return (
    <ul className={classes.findings}>
      {findings.map((finding) => {
        const occurrence = pairs.find((pair) => pair.finding.id === finding.id)?.occurrence;
        const turns = [
          ...new Set(
            occurrence?.evidence.flatMap(({ messageIndex }) => (messageIndex === null ? [] : [messageIndex])) ?? [],
          ),
        ].sort((a, b) => a - b);
        return (
          <li key={finding.id} className={classes.finding}>
            <div className={classes.findingHead}>
              <Severity value={occurrence?.severity ?? finding.severity} />
              {occurrence ? (
                <span className={classes.quiet}>
                  <Confidence value={occurrence.confidence} grounds={occurrence.confidenceBasis} />
                </span>
              ) : null}
            </div>
            <Link href={`/p/${projectId}/findings/${encodeURIComponent(finding.id)}`} className={classes.findingTitle}>
              <InlineCode text={occurrence?.title ?? finding.title} />
            </Link>
            <p className={classes.summary}>
              <InlineCode text={occurrence?.summary ?? finding.summary} />
            </p>
            {turns.length > 0 ? (
              <p className={classes.turns}>
                {turns.slice(0, 8).map((turn) => (
                  <a key={turn} href={`${base}#m-${turn}`}>
                    message {turn}
                  </a>
                ))}
                {turns.length > 8 ? <span>and {plural(turns.length - 8, "more message", "more messages")}</span> : null}
              </p>
            ) : null}
          </li>
        );
      })}
    </ul>
  );
}
