import { useQuery } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext } from "react";
import { useTRPC } from "@/app/_lib/trpc/client";
import classes from "./findings.module.css";

const LastVisit = createContext<number | null>(null);

/** Provides the time of the reader's last visit to what is below. */
export function LastVisitProvider({ projectId, children }: { projectId: string; children: ReactNode }) {
  const trpc = useTRPC();
  // What is marked when the page opens stays marked.
  const { data } = useQuery(trpc.home.lastVisit.queryOptions({ projectId }, { staleTime: Number.POSITIVE_INFINITY }));
  return <LastVisit value={data?.lastVisit.at ?? null}>{children}</LastVisit>;
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
