import { Progress } from "@mantine/core";
import Link from "next/link";
import { Ago } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import { Money } from "@/app/_components/values/money";
import { formatCount, formatUsd } from "@/app/_lib/format";
import type { Evaluation } from "@/server/services/proof/evaluations/schemas";
import { isUnfinished } from "../../../_components/evaluations/words";
import { checkpointHref } from "../../../_components/training/hrefs";
import { variantHref } from "../../../_components/variants/hrefs";
import { datasetHref } from "../../../datasets/_components/view";
import classes from "./evaluation-page.module.css";

/** What is compared on what, and the progress. */
export function Facts({ projectId, evaluation }: { projectId: string; evaluation: Evaluation }) {
  const { before, after, datasetId, datasetVersion, findingId, findingTitle, staleSince, done, total } = evaluation;
  const ofVariant = evaluation.variantId !== null;
  return (
    <>
      {staleSince === null ? null : (
        <div className={classes.banner} role="status">
          <Dot color="var(--severity-medium)">
            <span>
              {ofVariant
                ? "A connected model has not answered, or its daily limit is used up, since "
                : "Its trainer has been unreachable since "}
              <Ago at={staleSince} />. The comparison continues once {ofVariant ? "it answers" : "it is back"}.
            </span>
          </Dot>
        </div>
      )}
      <div className={classes.strip}>
        {isUnfinished(evaluation) ? (
          <div role="status" aria-label="Progress">
            <div className={`${classes.progress} tabular`}>
              <strong>{evaluation.status === "queued" ? waitingWords(ofVariant) : "Answering"}</strong> ·{" "}
              {formatCount(done)} of {formatCount(total)} rows
            </div>
            <Progress
              size="sm"
              mt={6}
              value={total === 0 ? 0 : (100 * done) / total}
              aria-label="Share of rows answered by both models"
            />
          </div>
        ) : null}
        <p className={classes.facts}>
          <span>
            Before: <Side projectId={projectId} side={before} />
          </span>
          <span>
            After: <Side projectId={projectId} side={after} />
          </span>
          {findingId === null ? null : (
            <span className={classes.subject}>
              Finding:{" "}
              <Link href={`/p/${encodeURIComponent(projectId)}/findings/${encodeURIComponent(findingId)}`} dir="auto">
                {findingTitle ?? "open"}
              </Link>
            </span>
          )}
          {datasetId === null ? null : (
            <span>
              <Link href={datasetHref(projectId, datasetId)}>Dataset</Link>, version {formatCount(datasetVersion)}
            </span>
          )}
          {evaluation.recorded ? (
            <span>
              {ofVariant ? "Its answers were written for the sample: no model was asked" : "Recorded with a trainer"}
            </span>
          ) : ofVariant ? (
            <span>
              Cost: <Money usd={evaluation.cost} />
              {evaluation.maxCost === null ? "" : ` of at most ${formatUsd(evaluation.maxCost)}`}
            </span>
          ) : null}
          <span>
            Started <Ago at={evaluation.createdAt} />
          </span>
        </p>
      </div>
    </>
  );
}

const waitingWords = (ofVariant: boolean) => (ofVariant ? "Waiting to start" : "Waiting for its trainer");

function Side({ projectId, side }: { projectId: string; side: Evaluation["after"] }) {
  const { checkpointId, variantId, model, name } = side;
  if (variantId !== null) {
    return (
      <>
        <Link href={variantHref(projectId, variantId)} dir="auto">
          {name}
        </Link>{" "}
        on <span className="mono">{model}</span>
      </>
    );
  }
  if (checkpointId === null) return <span className="mono">{name}</span>;
  return (
    <Link href={checkpointHref(projectId, checkpointId)} dir="auto">
      {name}
    </Link>
  );
}
