import { Progress, Text } from "@mantine/core";
import { Dot } from "@/app/_components/values/dot";
import { formatCount } from "@/app/_lib/format";
import type { Evaluation } from "@/server/services/proof/evaluations/schemas";
import { isUnfinished, STATUS, VERDICT } from "./words";

const Marked = ({ word, color, hollow = false }: { word: string; color: string; hollow?: boolean }) => (
  <Dot color={color} hollow={hollow}>
    {word}
  </Dot>
);

/** The verdict if there is one, else the status. */
export const EvaluationState = ({ evaluation: { status, verdict } }: { evaluation: Evaluation }) => (
  <Marked {...(verdict === null ? STATUS[status] : VERDICT[verdict])} />
);

const staleWords = (variantId: string | null) => (variantId === null ? "Trainer unreachable" : "Model does not answer");

/** The same with the progress while it runs, for a row of a list. */
export function EvaluationProgress({ evaluation }: { evaluation: Evaluation }) {
  const { done, total, staleSince, variantId } = evaluation;
  return (
    <>
      <EvaluationState evaluation={evaluation} />
      {isUnfinished(evaluation) ? (
        <>
          <Progress size={3} mt={3} value={total === 0 ? 0 : (100 * done) / total} aria-label="Answered" />
          <Text size="xs" c="dimmed" className="clip tabular" component="div">
            {staleSince === null ? `${formatCount(done)} of ${formatCount(total)} answered` : staleWords(variantId)}
          </Text>
        </>
      ) : null}
    </>
  );
}
