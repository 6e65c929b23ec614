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
  /** A key that changes with each step of a repricing. Undefined until they are loaded. */
  states: string | undefined;
};

/** Returns the view's calls and the effect of repricing them, reloaded after each repricing. */
export function useRepricingPreview({ projectId, view, busy, states }: Options) {
  const trpc = useTRPC();
  // One moment for the preview and the repricing started from it.
  const [now] = useState(() => Date.now());
  const [debounced] = useDebouncedValue<View>(view, DEBOUNCE_MS);
  const calls = callsOf(projectId, debounced, now);
  const preview = useQuery(
    trpc.repricings.preview.queryOptions(calls, { enabled: !busy, placeholderData: (was) => was }),
  );
  const { refetch } = preview;
  const previousStates = useRef(states);
  useEffect(() => {
    const before = previousStates.current;
    if (before !== undefined && (busy || states === before)) return;
    previousStates.current = states;
    // Each repricing changes the preview, even one that finished before it was seen in progress.
    if (before !== undefined) void refetch();
  }, [busy, states, refetch]);
  return { calls, preview };
}
