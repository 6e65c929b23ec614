"use client";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

/** Frequent enough for a page to recover with the server, rare enough to cause no noticeable load. */
const POLL_MS = 3000;

type Readiness = { status: string; checks: Record<string, { status: string; reason: string }> };

async function readiness(): Promise<Readiness> {
  // "Not ready" is a valid reply, too.
  return (await fetch("/readyz", { cache: "no-store" })).json();
}

/**
 * Lists the failing parts that the server reports, below a page that could not be rendered; calls `onWell` once they
 * recover.
 */
export function FailingParts({ onRecovered }: { onRecovered: () => void }) {
  const { data } = useQuery({ queryKey: ["readyz"], queryFn: readiness, refetchInterval: POLL_MS, staleTime: 0 });
  const wasFailing = useRef(false);
  const isFailing = data?.status === "not_ready";
  const isReady = data?.status === "ready";
  useEffect(() => {
    if (isReady && wasFailing.current) onRecovered();
    wasFailing.current = isFailing;
  }, [isFailing, isReady, onRecovered]);

  if (!isFailing) return null;
  const reasons = Object.values(data.checks).flatMap(({ status, reason }) => (status === "failing" ? [reason] : []));
  return <p role="status">{reasons.join(" ")} This page recovers automatically once that is fixed.</p>;
}
