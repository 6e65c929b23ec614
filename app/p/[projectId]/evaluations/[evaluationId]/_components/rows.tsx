"use client";
import { Button, Group, NativeSelect, Skeleton, Stack } from "@mantine/core";
import { IconLock, IconMessages } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useEffect, useRef, useState } from "react";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { NoMatch } from "@/app/_components/feedback/no-match";
import { StaleNote } from "@/app/_components/feedback/stale-note";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import { useKeys } from "@/app/_lib/use-keys";
import type { Evaluation } from "@/server/services/proof/evaluations/schemas";
import { useMay } from "../../../_components/access/membership";
import { OUTCOME, OUTCOMES } from "../../../_components/evaluations/words";
import { BlindReview } from "./blind-review";
import classes from "./evaluation-page.module.css";
import { Judge } from "./judge";
import { Row } from "./row";
import { viewParsers } from "./view";

const PAGE = 25;

/** The prompts with both answers, worst regressions first. */
export function Rows({ projectId, evaluation }: { projectId: string; evaluation: Evaluation }) {
  const trpc = useTRPC();
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  const box = useRef<HTMLUListElement>(null);
  const query = useInfiniteQuery(
    trpc.evaluations.rows.infiniteQueryOptions(
      {
        projectId,
        evaluationId: evaluation.id,
        limit: PAGE,
        ...(view.outcome === null ? {} : { outcome: view.outcome }),
      },
      {
        ...nextCursorPage,
        placeholderData: (previous) => previous,
      },
    ),
  );
  // The rows change together with the counts, for the last time when the comparison ends.
  const { refetch } = query;
  const counted = `${evaluation.done} ${evaluation.status} ${evaluation.judging?.answered} ${evaluation.judging?.status}`;
  const read = useRef(counted);
  useEffect(() => {
    if (read.current === counted) return;
    read.current = counted;
    void refetch();
  }, [counted, refetch]);
  const move = (by: 1 | -1) => {
    const rows = [...(box.current?.children ?? [])] as HTMLElement[];
    const at = rows.indexOf(document.activeElement as HTMLElement);
    rows[at === -1 ? 0 : at + by]?.focus();
  };
  useKeys({ j: () => move(1), k: () => move(-1) });
  const rows = query.data?.pages.flatMap((page) => page.rows) ?? [];
  const [reviewing, setReviewing] = useState(false);
  const mayReview = useMay("models:manage");
  if (reviewing) return <BlindReview projectId={projectId} evaluation={evaluation} onEnd={() => setReviewing(false)} />;
  return (
    <section className={classes.rows} aria-label="Rows">
      <div className={classes.rowsHead}>
        <h2 className={classes.heading}>Rows, worst first</h2>
        {mayReview ? <Judge projectId={projectId} evaluation={evaluation} /> : null}
        {mayReview && evaluation.done > 0 ? (
          <Button size="compact-xs" variant="default" onClick={() => setReviewing(true)}>
            Review blind…
          </Button>
        ) : null}
        <NativeSelect
          aria-label="Outcome"
          value={view.outcome ?? ""}
          onChange={(event) =>
            void setView({ outcome: OUTCOMES.find((known) => known === event.currentTarget.value) ?? null })
          }
          data={[
            { value: "", label: "Any outcome" },
            ...OUTCOMES.map((value) => ({ value, label: OUTCOME[value].word })),
          ]}
        />
      </div>
      <StaleNote error={query.error} dataUpdatedAt={query.dataUpdatedAt} onRetry={() => void query.refetch()} />
      {query.data === undefined ? (
        <NotRead query={query} />
      ) : rows.length === 0 ? (
        view.outcome === null ? (
          <EmptyState icon={IconMessages} title="No rows">
            They were deleted with their users, conversations or Examples. The counts remain.
          </EmptyState>
        ) : (
          <NoMatch title="No row matches" onClear={() => void setView({ outcome: null })}>
            There may be others outside this filter.
          </NoMatch>
        )
      ) : (
        <ul className={classes.list} ref={box} aria-label="Answers">
          {rows.map((row) => (
            <Row key={row.n} projectId={projectId} evaluationId={evaluation.id} kind={evaluation.kind} row={row} />
          ))}
        </ul>
      )}
      {query.hasNextPage ? (
        <Group justify="center" p="md">
          <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show more
          </Button>
        </Group>
      ) : null}
    </section>
  );
}

const FORBIDDEN = 403;

function NotRead({ query }: { query: { error: unknown; isFetching: boolean; refetch: () => unknown } }) {
  if (problemOf(query.error).status === FORBIDDEN) {
    return (
      <EmptyState icon={IconLock} title="You don’t have access to these rows">
        They contain text from conversations or Examples. Ask an owner of the project for access.
      </EmptyState>
    );
  }
  if (query.error)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />;
  return (
    <Stack p="md" role="status" aria-label="Loading the rows">
      {[80, 60, 70].map((width) => (
        <Skeleton key={width} height={12} width={`${width}%`} />
      ))}
    </Stack>
  );
}
