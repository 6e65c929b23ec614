import Link from "next/link";
import { PageSection } from "@/app/_components/layout/page-body";
import { Ago } from "@/app/_components/values/ago";
import { capitalized, formatCount, plural } from "@/app/_lib/format";
import type { ComparedRow, Comparison } from "@/server/services/diagnostics/versions/schemas";
import { traitText } from "../../conversations/_components/view";
import { ComparedRows } from "./compared-rows";
import classes from "./comparison-table.module.css";
import { countedHref, type View } from "./view";

type Props = { projectId: string; view: View; comparison: Comparison };

/** What differs between two versions, row by row, with a verdict where a test allows one. */
export function ComparisonTable({ projectId, view, comparison }: Props) {
  const { baseline, compared, both, rows, otherwise } = comparison;
  const judged = rows.filter(({ verdict }) => verdict === "better" || verdict === "worse").length;
  return (
    <>
      <PageSection title={`${compared.value} against ${baseline.value}`} wide>
        <p className={classes.quiet}>
          {judged === 0
            ? "No difference is shown. That is no proof that there is none."
            : `${plural(judged, "row")} of ${formatCount(rows.length)} ${judged === 1 ? "differs" : "differ"}.`}{" "}
          Verdicts are corrected for the number of rows, and hold however often you look.
          {both > 0 ? ` ${plural(both, "conversation")} with both values ${both === 1 ? "is" : "are"} left out.` : ""}
        </p>
        <ComparedRows
          projectId={projectId}
          rows={rows}
          heads={{
            baseline: <Head projectId={projectId} view={view} side={baseline} />,
            compared: <Head projectId={projectId} view={view} side={compared} />,
          }}
          countedHref={(side, row) => countedHref(projectId, view, comparison[side].value, countedBy(row))}
        />
      </PageSection>
      <PageSection title="What else differs">
        {otherwise.length === 0 ? (
          <p className={classes.quiet}>
            No model, provider, label, tool, prompt or language is clearly more frequent on one side.
          </p>
        ) : (
          <>
            <p className={classes.quiet}>Any of these may be the cause of a difference above.</p>
            <ul className={classes.others}>
              {otherwise.map(({ dimension, value, baseline: first, compared: second }) => (
                <li key={`${dimension} ${value}`}>
                  {value === null ? `No ${dimension}` : `${capitalized(dimension)} ${traitText(dimension, value)}`}:{" "}
                  {formatCount(first)} of {formatCount(baseline.conversations)}, then {formatCount(second)} of{" "}
                  {formatCount(compared.conversations)}
                </li>
              ))}
            </ul>
          </>
        )}
      </PageSection>
    </>
  );
}

type HeadProps = { projectId: string; view: View; side: Comparison["baseline"] };

const Head = ({ projectId, view, side }: HeadProps) => (
  <>
    <Link href={countedHref(projectId, view, side.value)} className={classes.value}>
      {side.value}
    </Link>
    <span className={classes.quiet}>
      {side.sampled ? "newest " : ""}
      {plural(side.conversations, "conversation")}
      {side.firstAt === null ? null : (
        <>
          , first <Ago at={side.firstAt} />
        </>
      )}
    </span>
  </>
);

/** The filters of the conversations that a row counts. */
function countedBy({ kind, finding }: ComparedRow) {
  if (kind === "finding") return finding === null ? {} : { finding: finding.id };
  if (kind === "errors") return { errors: true };
  return kind === "thumbs_down" ? { thumbsDown: true } : {};
}
