import { useLocalStorage } from "@mantine/hooks";
import { createContext, type ReactNode, useContext, useEffect, useState } from "react";
import { MINUTE_MS } from "@/server/platform/durations";
import classes from "./findings.module.css";

/** Coming back within this time counts as the same visit: what was new stays marked. */
const SAME_VISIT_MS = 30 * 60_000;

/** Times in Unix ms: when the reader was last here, and when before this visit. */
type Visits = { at: number; before: number | null };

const LastVisit = createContext<number | null>(null);

/** Remembers, in this browser, when the reader last looked at the Findings of a project. */
export function LastVisitProvider({ projectId, children }: { projectId: string; children: ReactNode }) {
  const [visits, setVisits] = useLocalStorage<Visits | null>({
    key: `whetstone:findings-seen:${projectId}`,
    defaultValue: null,
  });
  const [since, setSince] = useState<number | null>(null);
  useEffect(() => {
    const look = () =>
      setVisits((known) => {
        const at = Date.now();
        if (!known) return { at, before: null };
        return { at, before: at - known.at > SAME_VISIT_MS ? known.at : known.before };
      });
    look();
    const timer = setInterval(look, MINUTE_MS);
    return () => clearInterval(timer);
  }, [setVisits]);
  const before = visits?.before ?? null;
  useEffect(() => setSince(before), [before]);
  return <LastVisit value={since}>{children}</LastVisit>;
}

/** Marks what is newer than the reader's last visit. */
export function NewMark({ at }: { at: number }) {
  const since = useContext(LastVisit);
  return since !== null && at > since ? (
    <strong className={classes.fresh} title="New since your last visit">
      New
    </strong>
  ) : null;
}
