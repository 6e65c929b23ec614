import { Box, Text } from "@mantine/core";
import type { ListColumn } from "@/app/_components/data-table/types";
import { Ago } from "@/app/_components/values/ago";
import { Unknown } from "@/app/_components/values/unknown";
import { capitalized, formatCount, formatPercent } from "@/app/_lib/format";
import type { Evaluation } from "@/server/services/proof/evaluations/schemas";
import { OutcomeBar } from "../../_components/evaluations/outcome-bar";
import { EvaluationProgress } from "../../_components/evaluations/state";
import { shortModel } from "../../_components/training/words";

type Model = Evaluation["after"];

/** The step first: names of runs are long, and cut before what tells two checkpoints of one run apart. */
const wordsOf = ({ name, jobName, stepNumber }: Model) =>
  stepNumber === null ? name : `step ${stepNumber} of ${jobName}`;

export const nameOf = ({ after }: Evaluation) => capitalized(wordsOf(after));
const againstWords = ({ before }: Evaluation) =>
  `Against ${before.checkpointId === null ? shortModel(before.name) : wordsOf(before)}`;

export const COLUMNS: ListColumn<Evaluation>[] = [
  {
    id: "name",
    header: "Compared",
    meta: { link: true },
    cell: ({ row: { original } }) => (
      <>
        <Text size="sm" fw={500} component="div" className="clip" dir="auto">
          {nameOf(original)}
        </Text>
        <Text size="xs" c="dimmed" component="div" className="clip" dir="auto" title={original.before.name}>
          {againstWords(original)}
        </Text>
        <Box hiddenFrom="sm" fz="xs">
          <EvaluationProgress evaluation={original} />
        </Box>
      </>
    ),
  },
  {
    id: "what",
    header: "On",
    meta: { width: "15rem", roomy: true, wide: true },
    cell: ({ row: { original } }) =>
      original.kind === "finding" ? (
        <Text size="sm" component="div" className="clip" dir="auto" title={original.findingTitle ?? "A Finding"}>
          {original.findingTitle ?? "A Finding"}
        </Text>
      ) : (
        "Held-out Examples"
      ),
  },
  {
    id: "state",
    header: "State",
    meta: { width: "12rem", roomy: true },
    cell: ({ row }) => <EvaluationProgress evaluation={row.original} />,
  },
  {
    id: "result",
    header: "Result",
    meta: { width: "14rem", roomy: true },
    cell: ({ row: { original } }) => <Result evaluation={original} />,
  },
  {
    id: "rows",
    header: "Rows",
    meta: { width: "5rem", align: "end", roomy: true },
    cell: ({ row }) => <span className="tabular">{formatCount(row.original.total)}</span>,
  },
  {
    id: "created",
    header: "Started",
    meta: { width: "6rem", align: "end", roomy: true },
    cell: ({ row }) => <Ago at={row.original.createdAt} />,
  },
];

function Result({ evaluation: { comparison, proof } }: { evaluation: Evaluation }) {
  if (comparison !== null) return <OutcomeBar comparison={comparison} small />;
  if (proof === null || proof.before === null || proof.after === null) return <Unknown />;
  return (
    <span className="tabular">
      {formatPercent(proof.before.rate)} → {formatPercent(proof.after.rate)}
    </span>
  );
}
