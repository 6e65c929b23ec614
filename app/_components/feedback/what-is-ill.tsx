"use client";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

/** Often enough that a page is back when the server is, seldom enough to be no load. */
const ASK_AGAIN_MS = 3000;

type Readiness = { status: string; checks: Record<string, { status: string; reason: string }> };

async function readiness(): Promise<Readiness> {
  // Not ready is an answer, too.
  return (await fetch("/readyz", { cache: "no-store" })).json();
}

/** What the server itself says about parts that fail, under a page that could not be made; `onWell` once they are well. */
export function WhatIsIll({ onWell }: { onWell: () => void }) {
  const { data } = useQuery({ queryKey: ["readyz"], queryFn: readiness, refetchInterval: ASK_AGAIN_MS, staleTime: 0 });
  const wasIll = useRef(false);
  const ill = data?.status === "not_ready";
  const well = data?.status === "ready";
  useEffect(() => {
    if (well && wasIll.current) onWell();
    wasIll.current = ill;
  }, [ill, well, onWell]);

  if (!ill) return null;
  const reasons = Object.values(data.checks).flatMap(({ status, reason }) => (status === "failing" ? [reason] : []));
  return <p role="status">{reasons.join(" ")} This page comes back by itself when that is over.</p>;
}
