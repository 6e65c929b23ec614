"use client";
import Link from "next/link";
import { useNow } from "@/app/_components/values/now";
import { formatAgo, formatCount, plural } from "@/app/_lib/format";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import classes from "./findings.module.css";

export type DiagnosticsStatus = RouterOutputs["diagnostics"]["status"]["status"];

/** The server counts up to this number. */
const COUNTED = 1000;
const upTo = (count: number) => (count >= COUNTED ? `${formatCount(COUNTED)}+` : formatCount(count));

/** "inactive for 15 seconds": when Rules check a conversation by themselves. */
export const inactiveFor = ({ inactiveAfterSeconds: seconds }: DiagnosticsStatus) =>
  `inactive for ${seconds % 60 === 0 ? plural(seconds / 60, "minute") : plural(seconds, "second")}`;

export const coverageOf = (status: DiagnosticsStatus, now: number) =>
  [
    `${upTo(status.conversationsRead)} of ${upTo(status.conversations)} conversations checked`,
    status.lastRunFinishedAt === null ? null : `last ${formatAgo(status.lastRunFinishedAt, now)}`,
    status.runsWaiting > 0 ? `${plural(status.runsWaiting, "Rule Run")} waiting` : null,
  ]
    .filter(Boolean)
    .join("; ");

/** What the list is based on. */
export function CoverageNote({ projectId, status }: { projectId: string; status: DiagnosticsStatus | undefined }) {
  const now = useNow();
  if (!status) return null;
  return (
    <p className={classes.coverage} role="status">
      <Link href={`/p/${projectId}/rule-runs`}>{coverageOf(status, now)}</Link>.
      {status.automaticSchedulingEnabled ? "" : " Automatic diagnosis is off."}
    </p>
  );
}
