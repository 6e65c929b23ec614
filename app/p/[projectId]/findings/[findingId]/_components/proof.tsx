"use client";
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { Ago } from "@/app/_components/values/ago";
import { formatCount, formatPercent } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Evaluation } from "@/server/services/proof/evaluations/schemas";
import { useMay } from "../../../_components/access/membership";
import { evaluationHref } from "../../../_components/evaluations/hrefs";
import { RateBars } from "../../../_components/evaluations/rate-bars";
import { RightResult } from "../../../_components/evaluations/right-result";
import { StartEvaluation } from "../../../_components/evaluations/start-evaluation";
import { EvaluationState } from "../../../_components/evaluations/state";
import { isUnfinished, lackWords } from "../../../_components/evaluations/words";
import { useWithoutTrainer } from "../../../_components/training/no-trainer";
import { newVariantHref, variantHref } from "../../../_components/variants/hrefs";
import classes from "./finding-page.module.css";
import { proofsInput, variantsInput } from "./shared-inputs";

const BUSY_MS = 2000;
const IDLE_MS = 20_000;

/** Whether another prompt or model no longer has the Finding: its rate before and after, in replays of its conversations. */
export function Proof({ projectId, findingId }: { projectId: string; findingId: string }) {
  const trpc = useTRPC();
  const may = useMay("models:manage");
  const [starting, setStarting] = useState(false);
  const { data, error, refetch, isFetching } = useQuery(
    trpc.evaluations.list.queryOptions(proofsInput(projectId, findingId), {
      refetchInterval: ({ state }) => (state.data?.evaluations.some(isUnfinished) ? BUSY_MS : IDLE_MS),
    }),
  );
  const unattached = useWithoutTrainer(projectId, data?.evaluations.length === 0);
  const [newest, ...older] = data?.evaluations ?? [];
  return (
    <section id="proof" aria-label="Proof">
      <div className={classes.proofHead}>
        <h2 className={classes.heading}>Proof</h2>
        {may ? (
          <span className={classes.proofActions}>
            <Button
              size="compact-xs"
              variant="default"
              component={Link}
              href={newVariantHref(projectId, { finding: findingId })}
            >
              Try a fix…
            </Button>
            {unattached ? null : (
              <Button size="compact-xs" variant="default" onClick={() => setStarting(true)}>
                Prove a fix…
              </Button>
            )}
          </span>
        ) : null}
      </div>
      {error && !data ? (
        <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />
      ) : data === undefined ? (
        <p className={classes.quiet} role="status">
          Looking for proofs…
        </p>
      ) : newest === undefined ? (
        <p className={classes.quiet}>
          No fix has been measured yet. A proof replays conversations with this Finding on another prompt or model and
          on what runs today, and compares how often the answers are right.
        </p>
      ) : (
        <>
          <Newest projectId={projectId} evaluation={newest} />
          {older.length === 0 ? null : (
            <ul className={classes.plainList} aria-label="Earlier proofs">
              {older.map((one) => (
                <li key={one.id} className={classes.plainItem}>
                  <EvaluationState evaluation={one} />
                  <Link className={classes.plainText} href={evaluationHref(projectId, one.id)} dir="auto">
                    {one.after.name}
                  </Link>
                  <span className={`${classes.quiet} tabular`}>
                    {formatPercent(one.proof?.right?.before.share?.rate)} →{" "}
                    {formatPercent(one.proof?.right?.after.share?.rate)} right, <Ago at={one.createdAt} />
                  </span>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
      <WrittenFixes projectId={projectId} findingId={findingId} />
      <StartEvaluation
        projectId={projectId}
        subject={starting ? { findingId } : null}
        onClose={() => setStarting(false)}
      />
    </section>
  );
}

/** The newest variants that were written for the Finding. */
function WrittenFixes({ projectId, findingId }: { projectId: string; findingId: string }) {
  const trpc = useTRPC();
  const may = useMay("workspace:read");
  const { data } = useQuery(trpc.variants.list.queryOptions(variantsInput(projectId, findingId), { enabled: may }));
  if (!data || data.variants.length === 0) return null;
  return (
    <ul className={classes.plainList} aria-label="Fixes to try">
      {data.variants.map(({ id, name, version, createdAt }) => (
        <li key={id} className={classes.plainItem}>
          <Link className={classes.plainText} href={variantHref(projectId, id)} dir="auto">
            {name}, version {version}
          </Link>
          <span className={classes.quiet}>
            <Ago at={createdAt} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function Newest({ projectId, evaluation }: { projectId: string; evaluation: Evaluation }) {
  const { proof, done, total, after, createdAt } = evaluation;
  return (
    <div className={classes.proof}>
      <div className={classes.proofLine}>
        <EvaluationState evaluation={evaluation} />
        <Link href={evaluationHref(projectId, evaluation.id)} dir="auto">
          {after.name}
        </Link>
        <span className={classes.quiet}>
          <Ago at={createdAt} />
        </span>
      </div>
      {proof === null ? (
        <p className={classes.quiet} role="status">
          {isUnfinished(evaluation)
            ? `${formatCount(done)} of ${formatCount(total)} conversations replayed`
            : "No conversation was replayed."}
        </p>
      ) : (
        <>
          {proof.right === null ? <RateBars proof={proof} /> : <RightResult right={proof.right} />}
          <p className={classes.quiet}>
            {evaluation.verdict === null || evaluation.verdict === "proven" ? "" : `${lackWords(proof)} `}
            The conversations were chosen because they failed.
          </p>
        </>
      )}
    </div>
  );
}
