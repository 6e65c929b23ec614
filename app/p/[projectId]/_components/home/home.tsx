"use client";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { StaleNote } from "@/app/_components/feedback/stale-note";
import { PageBody } from "@/app/_components/layout/page-body";
import { PageHeader } from "@/app/_components/layout/page-header";
import { Ago } from "@/app/_components/values/ago";
import { formatCount } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { pageHref } from "../shell/pages";
import { Changed } from "./changed";
import { EmptyHome } from "./empty-home";
import classes from "./home.module.css";
import { Loop } from "./loop";
import { NeedsYou } from "./needs-you";
import { Numbers } from "./numbers";
import { Pinned } from "./pinned";
import type { HomeData } from "./words";

const POLL_MS = 60_000;
/** Someone who has just sent a first trace is looking for it. */
const POLL_EMPTY_MS = 5000;

/** What needs the reader, what changed since they were here, the numbers of the week, and the loop. */
export function Home({ projectId, endpoint }: { projectId: string; endpoint: string }) {
  const trpc = useTRPC();
  const { data, error, refetch, isFetching, dataUpdatedAt } = useQuery(
    trpc.home.get.queryOptions(
      { projectId },
      { refetchInterval: ({ state }) => (isEmpty(state.data?.home) ? POLL_EMPTY_MS : POLL_MS) },
    ),
  );
  const home = data?.home;
  return (
    <>
      <PageHeader title="Home" aside={home && !isEmpty(home) ? <Pulse projectId={projectId} home={home} /> : null} />
      {error && !home ? (
        <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />
      ) : home === undefined ? (
        <p className={classes.loading} role="status">
          Reading what changed…
        </p>
      ) : isEmpty(home) ? (
        <EmptyHome projectId={projectId} endpoint={endpoint} home={home} />
      ) : (
        <PageBody>
          <StaleNote error={error} dataUpdatedAt={dataUpdatedAt} onRetry={() => void refetch()} />
          <NeedsYou projectId={projectId} home={home} />
          <div className={classes.columns}>
            <Changed projectId={projectId} home={home} />
            <Numbers projectId={projectId} home={home} />
          </div>
          <Pinned projectId={projectId} />
          <Loop projectId={projectId} steps={home.steps} />
        </PageBody>
      )}
    </>
  );
}

const isEmpty = (home: HomeData | undefined) => home?.steps.find(({ name }) => name === "send")?.state === "to_do";

/** Whether telemetry arrives, and what of it was refused in the last hour. */
const Pulse = ({ projectId, home: { pulse } }: { projectId: string; home: HomeData }) => (
  <span className={classes.pulse}>
    <Link href={pageHref(projectId, "send-a-trace")}>
      {pulse.receivedAt === null ? (
        "Nothing has arrived yet"
      ) : (
        <>
          Last data <Ago at={pulse.receivedAt} /> · {formatCount(pulse.spansPerMinute)}{" "}
          {pulse.spansPerMinute === 1 ? "span" : "spans"}/min
        </>
      )}
    </Link>
    {pulse.refusedRequests > 0 ? (
      <>
        {" "}
        · {formatCount(pulse.refusedRequests)} refused{" "}
        <Link href={`${pageHref(projectId, "send-a-trace")}#refused`}>Why?</Link>
      </>
    ) : null}
  </span>
);
