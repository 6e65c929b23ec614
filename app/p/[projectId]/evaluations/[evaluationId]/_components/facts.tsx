import { Progress } from "@mantine/core";
import Link from "next/link";
import { Ago } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import { formatCount } from "@/app/_lib/format";
import type { Evaluation } from "@/server/services/proof/evaluations/schemas";
import { isUnfinished } from "../../../_components/evaluations/words";
import { checkpointHref } from "../../../_components/training/hrefs";
import { datasetHref } from "../../../datasets/_components/view";
import classes from "./evaluation-page.module.css";

/** What is compared on what, and the progress. */
export function Facts({ projectId, evaluation }: { projectId: string; evaluation: Evaluation }) {
  const { before, after, datasetId, datasetVersion, findingId, findingTitle, staleSince, done, total } = evaluation;
  return (
    <>
      {staleSince === null ? null : (
        <div className={classes.banner} role="status">
          <Dot color="var(--severity-medium)">
            <span>
              Its trainer has been unreachable since <Ago at={staleSince} />. The comparison continues once it is back.
            </span>
          </Dot>
        </div>
      )}
      <div className={classes.strip}>
        {isUnfinished(evaluation) ? (
          <div role="status" aria-label="Progress">
            <div className={`${classes.progress} tabular`}>
              <strong>{evaluation.status === "queued" ? "Waiting for its trainer" : "Answering"}</strong> ·{" "}
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
          <span>
            Started <Ago at={evaluation.createdAt} />
          </span>
        </p>
      </div>
    </>
  );
}

const Side = ({ projectId, side: { checkpointId, name } }: { projectId: string; side: Evaluation["after"] }) =>
  checkpointId === null ? (
    <span className="mono">{name}</span>
  ) : (
    <Link href={checkpointHref(projectId, checkpointId)} dir="auto">
      {name}
    </Link>
  );
