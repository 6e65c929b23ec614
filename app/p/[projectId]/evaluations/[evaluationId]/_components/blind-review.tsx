"use client";
import { Button, Group, Kbd } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { formatCount } from "@/app/_lib/format";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import { ESC, useKeys } from "@/app/_lib/use-keys";
import type { BlindRow, Evaluation } from "@/server/services/proof/evaluations/schemas";
import classes from "./evaluation-page.module.css";

const CHOICES = [
  { key: "1", choice: "first", label: "Only the first" },
  { key: "2", choice: "second", label: "Only the second" },
  { key: "3", choice: "both", label: "Both" },
  { key: "0", choice: "neither", label: "Neither" },
] as const;
const SKIP = "s";

/** Both answers to one row after another, without the models' names, in an order that tells nothing; decided by one key. */
export function BlindReview({
  projectId,
  evaluation,
  onEnd,
}: {
  projectId: string;
  evaluation: Evaluation;
  onEnd: () => void;
}) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [after, setAfter] = useState<number>();
  const subject = { projectId, evaluationId: evaluation.id };
  const next = useQuery(
    trpc.evaluations.nextBlind.queryOptions(
      { ...subject, ...(after === undefined ? {} : { after: String(after) }) },
      { staleTime: 0, gcTime: 0 },
    ),
  );
  const review = useMutation(
    trpc.evaluations.review.mutationOptions({
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.evaluations.pathKey() }),
    }),
  );
  const row = next.data?.row ?? null;
  const busy = review.isPending || next.isFetching;
  const decide = (choice: (typeof CHOICES)[number]["choice"]) => {
    if (row && !busy) review.mutate({ ...subject, n: String(row.n), choice });
  };
  const skip = () => {
    if (row && !busy) setAfter(row.n);
  };
  useKeys(
    {
      ...Object.fromEntries(CHOICES.map(({ key, choice }) => [key, () => decide(choice)])),
      [SKIP]: skip,
      [ESC]: (event) => {
        event.preventDefault();
        event.stopImmediatePropagation();
        onEnd();
      },
    },
    { capture: true },
  );
  return (
    <section className={classes.blind} aria-label="Blind review">
      <div className={classes.rowsHead}>
        <h2 className={classes.heading}>Which answer is right?</h2>
        <Button size="compact-xs" variant="default" onClick={onEnd}>
          End
        </Button>
      </div>
      {next.error ? (
        <ErrorState error={next.error} onRetry={() => void next.refetch()} retrying={next.isFetching} />
      ) : next.data === undefined ? (
        <p role="status">Drawing a row…</p>
      ) : row === null ? (
        <p role="status">
          {formatCount(next.data.reviewed)} of {formatCount(next.data.total)} rows reviewed. No other row is left
          {after === undefined ? "." : " after those that you skipped."}
        </p>
      ) : (
        <>
          <p className={`${classes.dim} tabular`} role="status">
            {formatCount(next.data.reviewed)} of {formatCount(next.data.total)} rows reviewed
          </p>
          <Drawn row={row} />
          <Group gap="xs" mt="sm">
            {CHOICES.map(({ key, choice, label }) => (
              <Button
                key={key}
                variant="default"
                disabled={busy}
                rightSection={<Kbd>{key}</Kbd>}
                onClick={() => decide(choice)}
              >
                {label}
              </Button>
            ))}
            <Button variant="subtle" disabled={busy} rightSection={<Kbd>{SKIP}</Kbd>} onClick={skip}>
              Skip
            </Button>
          </Group>
          {review.error ? <p role="alert">{problemOf(review.error).detail}</p> : null}
        </>
      )}
    </section>
  );
}

const ROLES = { system: "System", user: "User", assistant: "Assistant", tool: "Tool" } as const;

function Drawn({ row: { prompt, reference, first, second } }: { row: BlindRow }) {
  const shown = [
    ...(reference === null ? [] : [{ title: "Right answer, as an Example has it", text: reference }]),
    { title: "First", text: first },
    { title: "Second", text: second },
  ];
  return (
    <>
      <ul className={classes.said} aria-label="Conversation">
        {prompt.map(({ role, content }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a stored prompt does not change
          <li key={index}>
            <span className={classes.dim}>{ROLES[role]}</span> <span dir="auto">{content}</span>
          </li>
        ))}
      </ul>
      <div className={classes.answers}>
        {shown.map(({ title, text }) => (
          <fieldset key={title} className={classes.answer} aria-label={title}>
            <h3 className={classes.answerTitle}>{title}</h3>
            {text === "" ? (
              <p className={classes.none}>An empty answer</p>
            ) : (
              <div className={classes.text} dir="auto">
                {text}
              </div>
            )}
          </fieldset>
        ))}
      </div>
    </>
  );
}
