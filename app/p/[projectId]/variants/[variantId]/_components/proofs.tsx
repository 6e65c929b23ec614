import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { Ago } from "@/app/_components/values/ago";
import { formatCount, formatUsd } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Evaluation } from "@/server/services/proof/evaluations/schemas";
import { evaluationHref } from "../../../_components/evaluations/hrefs";
import { EvaluationProgress } from "../../../_components/evaluations/state";
import { isUnfinished } from "../../../_components/evaluations/words";
import classes from "./variant-page.module.css";

const BUSY_MS = 2000;
const IDLE_MS = 20_000;

/** What was proven of a variant, newest first. */
export function Proofs({ projectId, variantId }: { projectId: string; variantId: string }) {
  const trpc = useTRPC();
  const { data, error, refetch, isFetching } = useQuery(
    trpc.evaluations.list.queryOptions(
      { projectId, variantId },
      { refetchInterval: ({ state }) => (state.data?.evaluations.some(isUnfinished) ? BUSY_MS : IDLE_MS) },
    ),
  );
  return (
    <section aria-label="Proofs">
      <h2 className={classes.heading}>Proofs</h2>
      {error && !data ? (
        <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />
      ) : data === undefined ? (
        <p className={classes.quiet} role="status">
          Looking for proofs…
        </p>
      ) : data.evaluations.length === 0 ? (
        <p className={classes.quiet}>
          Nothing has been measured yet. A proof has what runs today and the variant answer the same conversations or
          Examples, and compares how often the answers are right.
        </p>
      ) : (
        <ul className={classes.proofs}>
          {data.evaluations.map((one) => (
            <li key={one.id} className={classes.proof}>
              <Link className="clip" href={evaluationHref(projectId, one.id)} dir="auto">
                {one.kind === "finding" ? (one.findingTitle ?? "A Finding").replaceAll("`", "") : "Held-out Examples"}
              </Link>
              <div className={classes.state}>
                <EvaluationProgress evaluation={one} />
              </div>
              <span className={`${classes.quiet} tabular`}>
                {resultWords(one)}, {formatUsd(one.cost)}, <Ago at={one.createdAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function resultWords({ proof, comparison, total }: Evaluation): string {
  const right = proof?.right ?? comparison?.right ?? null;
  if (right !== null && right.n > 0)
    return `${formatCount(right.gained)} right only after, ${formatCount(right.lost)} only before, of ${formatCount(right.n)}`;
  if (proof !== null && proof.n > 0)
    return `found in ${formatCount(proof.foundBefore)} before and ${formatCount(proof.foundAfter)} after, of ${formatCount(proof.n)}`;
  return `${formatCount(total)} rows`;
}
