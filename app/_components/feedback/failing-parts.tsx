"use client";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";

/** Frequent enough for a page to recover with the server, rare enough to cause no noticeable load. */
const POLL_MS = 3000;
/** How long a page keeps trying after an outage: a server may be ready before all of its connections are. */
const RECOVERS_WITHIN_MS = 60_000;

/** When a check last failed, in Unix ms; kept here because a page that fails again is mounted anew. */
let failedAt = Number.NEGATIVE_INFINITY;

type Readiness = { status: string; checks: Record<string, { status: string; reason: string }> };

async function readiness(): Promise<Readiness> {
  // "Not ready" is a valid reply, too.
  return (await fetch("/readyz", { cache: "no-store" })).json();
}

/**
 * Lists the failing parts that the server reports, below a page that could not be rendered; calls `onRecovered` once none fails,
 * and again while the page still cannot be rendered.
 */
export function FailingParts({ onRecovered }: { onRecovered: () => void }) {
  const { data, dataUpdatedAt } = useQuery({
    queryKey: ["readyz"],
    queryFn: readiness,
    refetchInterval: POLL_MS,
    staleTime: 0,
  });
  const [mountedAt] = useState(Date.now);
  const isFailing = data?.status === "not_ready";
  const isReady = data?.status === "ready";
  useEffect(() => {
    if (isFailing) failedAt = dataUpdatedAt;
    // Not at the first look of a page that failed again: its tries are as far apart as its looks.
    const isLater = dataUpdatedAt - mountedAt > POLL_MS / 2;
    if (isReady && isLater && dataUpdatedAt - failedAt < RECOVERS_WITHIN_MS) onRecovered();
  }, [isFailing, isReady, dataUpdatedAt, mountedAt, onRecovered]);

  if (!isFailing) return null;
  const reasons = Object.values(data.checks).flatMap(({ status, reason }) => (status === "failing" ? [reason] : []));
  return <p role="status">{reasons.join(" ")} This page recovers automatically once that is fixed.</p>;
}
