import { useEffect, useRef, useState } from "react";
import { useTRPCClient } from "@/app/_lib/trpc/client";
import { EVENTS_MAX, type TrainingEvent } from "@/server/services/training/events/schemas";

const LIVE_MS = 1500;
const FAILED_MS = 5000;

type Log = { events: readonly TrainingEvent[]; error: unknown; complete: boolean };

/** Reads a job's log from its beginning, page by page, then polls for new entries until the job has ended. */
export function useEvents(projectId: string, jobId: string): Log & { retry: () => void } {
  const client = useTRPCClient();
  const [log, setLog] = useState<Log>({ events: [], error: null, complete: false });
  const [tries, setTries] = useState(0);
  const last = useRef(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `tries` starts a loop that gave up again
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let stopped = false;
    const again = (ms: number) => {
      if (!stopped) timer = setTimeout(() => void read(), ms);
    };
    const read = async () => {
      try {
        const reply = await client.trainingJobs.events.query({
          projectId,
          jobId,
          after: last.current,
          limit: EVENTS_MAX,
        });
        if (stopped) return;
        const more = reply.events.filter(({ seq }) => seq > last.current);
        last.current = Math.max(last.current, reply.lastSeq);
        const full = reply.events.length === EVENTS_MAX;
        setLog(({ events }) => ({
          events: more.length === 0 ? events : [...events, ...more],
          error: null,
          complete: !full,
        }));
        if (full) again(0);
        else if (!reply.finished) again(LIVE_MS);
      } catch (error) {
        if (stopped) return;
        setLog((known) => ({ ...known, error }));
        again(FAILED_MS);
      }
    };
    void read();
    return () => {
      stopped = true;
      clearTimeout(timer);
    };
  }, [client, projectId, jobId, tries]);
  return { ...log, retry: () => setTries((count) => count + 1) };
}
