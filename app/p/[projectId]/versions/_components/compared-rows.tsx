import { Table } from "@mantine/core";
import Link from "next/link";
import { TableScroll } from "@/app/_components/layout/table-scroll";
import { InlineCode } from "@/app/_components/values/inline-code";
import { UNKNOWN } from "@/app/_lib/format";
import type { ComparedRow } from "@/server/services/diagnostics/versions/schemas";
import { pageHref } from "../../_components/shell/pages";
import classes from "./comparison-table.module.css";
import {
  differenceLimits,
  differenceWords,
  KIND_WORDS,
  limitsWords,
  ofWords,
  VERDICT_WORDS,
  valueWords,
} from "./words";

export type ComparedSide = "baseline" | "compared";
/** Returns the URL of the conversations that a row counts on a side, if a list can show them. */
export type CountedHref = (side: ComparedSide, row: ComparedRow) => string | null;

type Props = {
  projectId: string;
  rows: readonly ComparedRow[];
  heads: Record<ComparedSide, React.ReactNode>;
  countedHref: CountedHref;
};

/** What differs between two sets of conversations, row by row, with a verdict where a test allows one. */
export const ComparedRows = ({ projectId, rows, heads, countedHref }: Props) => (
  <TableScroll minWidth={760} label="Comparison">
    <Table className={classes.table} aria-label="Comparison">
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">What</Table.Th>
          <Table.Th scope="col">{heads.baseline}</Table.Th>
          <Table.Th scope="col">{heads.compared}</Table.Th>
          <Table.Th scope="col">Difference</Table.Th>
          <Table.Th scope="col">Verdict</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map((row) => (
          <Row key={row.finding?.id ?? row.kind} projectId={projectId} row={row} countedHref={countedHref} />
        ))}
      </Table.Tbody>
    </Table>
  </TableScroll>
);

type RowProps = { projectId: string; row: ComparedRow; countedHref: CountedHref };

function Row({ projectId, row, countedHref }: RowProps) {
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
      <Side href={countedHref("baseline", row)} row={row} side={row.baseline} />
      <Side href={countedHref("compared", row)} row={row} side={row.compared} />
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

type SideProps = { href: string | null; row: ComparedRow; side: ComparedRow["baseline"] };

const Side = ({ href, row: { kind }, side }: SideProps) => (
  <Table.Td>
    {side.estimate === null ? (
      UNKNOWN
    ) : (
      <>
        <strong>{valueWords(kind, side.estimate.value)}</strong>{" "}
        {href === null ? ofWords(side) : <Link href={href}>{ofWords(side)}</Link>}
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
