import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTRPC } from "@/app/_lib/trpc/client";
import { callsOf, type View } from "./view";

const DEBOUNCE_MS = 300;

type Options = {
  projectId: string;
  view: View;
  busy: boolean;
  /** Of the repricings so far: another after each step of one. Undefined until they are known. */
  states: string | undefined;
};

/** Returns the calls that the view means and what repricing them would change, read again after each repricing. */
export function useRepricingPreview({ projectId, view, busy, states }: Options) {
  const trpc = useTRPC();
  // One moment for the preview and for what is started from it.
  const [now] = useState(() => Date.now());
  const [asked] = useDebouncedValue<View>(view, DEBOUNCE_MS);
  const calls = callsOf(projectId, asked, now);
  const preview = useQuery(
    trpc.repricings.preview.queryOptions(calls, { enabled: !busy, placeholderData: (was) => was }),
  );
  const { refetch } = preview;
  const statesAsked = useRef(states);
  useEffect(() => {
    const before = statesAsked.current;
    if (before !== undefined && (busy || states === before)) return;
    statesAsked.current = states;
    // What would change is another thing after each repricing, also after one that was done before it was seen under way.
    if (before !== undefined) void refetch();
  }, [busy, states, refetch]);
  return { calls, preview };
}
