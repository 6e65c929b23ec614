import { Table } from "@mantine/core";
import Link from "next/link";
import { PageSection } from "@/app/_components/layout/page-body";
import { TableScroll } from "@/app/_components/layout/table-scroll";
import { Ago } from "@/app/_components/values/ago";
import { InlineCode } from "@/app/_components/values/inline-code";
import { capitalized, formatCount, plural, UNKNOWN } from "@/app/_lib/format";
import type { ComparedRow, Comparison } from "@/server/services/diagnostics/versions/schemas";
import { pageHref } from "../../_components/shell/pages";
import { traitText } from "../../conversations/_components/view";
import classes from "./comparison-table.module.css";
import { countedHref, type View } from "./view";
import {
  differenceLimits,
  differenceWords,
  KIND_WORDS,
  limitsWords,
  ofWords,
  VERDICT_WORDS,
  valueWords,
} from "./words";

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
        <TableScroll minWidth={760} label="Comparison">
          <Table className={classes.table} aria-label="Comparison">
            <Table.Thead>
              <Table.Tr>
                <Table.Th scope="col">What</Table.Th>
                {[baseline, compared].map((side) => (
                  <Table.Th scope="col" key={side.value}>
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
                  </Table.Th>
                ))}
                <Table.Th scope="col">Difference</Table.Th>
                <Table.Th scope="col">Verdict</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((row) => (
                <Row key={row.finding?.id ?? row.kind} projectId={projectId} view={view} row={row} of={comparison} />
              ))}
            </Table.Tbody>
          </Table>
        </TableScroll>
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

type RowProps = { projectId: string; view: View; row: ComparedRow; of: Comparison };

function Row({ projectId, view, row, of }: RowProps) {
  const { kind, finding, difference, verdict, p } = row;
  const kindWords = kind === "finding" ? null : KIND_WORDS[kind];
  const limits = difference && differenceLimits(kind, difference);
  return (
    <Table.Tr>
      <Table.Th scope="row" className={classes.what}>
        {finding ? (
          <Link href={`${pageHref(projectId, "findings")}/${encodeURIComponent(finding.id)}`}>
            <InlineCode text={finding.title} />
          </Link>
        ) : (
          kindWords?.title
        )}
        {kindWords?.note ? <span className={classes.quiet}>{kindWords.note}</span> : null}
      </Table.Th>
      <Side href={countedHref(projectId, view, of.baseline.value, countedBy(row))} row={row} side={row.baseline} />
      <Side href={countedHref(projectId, view, of.compared.value, countedBy(row))} row={row} side={row.compared} />
      <Table.Td>
        {difference ? differenceWords(kind, difference) : UNKNOWN}
        {limits ? (
          <span className={classes.quiet} title="95% limits that hold however often you look">
            {limits}
          </span>
        ) : null}
      </Table.Td>
      <Table.Td>
        <span
          className={classes.verdict}
          data-verdict={verdict}
          title={p === null ? undefined : `p = ${p < 0.001 ? "below 0.001" : p.toFixed(3)}, corrected`}
        >
          {VERDICT_WORDS[verdict]}
        </span>
      </Table.Td>
    </Table.Tr>
  );
}

/** The filters of the conversations that a row counts. */
function countedBy({ kind, finding }: ComparedRow) {
  if (kind === "finding") return finding === null ? {} : { finding: finding.id };
  if (kind === "errors") return { errors: true };
  return kind === "thumbs_down" ? { thumbsDown: true } : {};
}

type SideProps = { href: string; row: ComparedRow; side: ComparedRow["baseline"] };

const Side = ({ href, row: { kind }, side }: SideProps) => (
  <Table.Td>
    {side.estimate === null ? (
      UNKNOWN
    ) : (
      <>
        <strong>{valueWords(kind, side.estimate.value)}</strong> <Link href={href}>{ofWords(side)}</Link>
        <span className={classes.quiet} title="95% interval">
          {limitsWords(kind, side.estimate)}
        </span>
      </>
    )}
    {side.p95 === null ? null : (
      <span className={classes.quiet} title="95th percentile, with its 95% interval">
        p95 {valueWords(kind, side.p95.value)} ({limitsWords(kind, side.p95)})
      </span>
    )}
  </Table.Td>
);
