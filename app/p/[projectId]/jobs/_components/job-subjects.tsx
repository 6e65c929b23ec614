"use client";
import { Button } from "@mantine/core";
import Link from "next/link";
import { useState } from "react";
import { Fact } from "@/app/_components/values/fact";
import { formatCount, plural } from "@/app/_lib/format";
import type { BackgroundJob } from "@/server/services/background-jobs/schemas";
import { useMay } from "../../_components/access/membership";
import { pageHref } from "../../_components/shell/pages";
import classes from "./jobs.module.css";
import { kindHeading } from "./words";

/** Ids of one kind shown initially. */
const SHOWN = 5;

/** Returns the page of a thing of this kind, if there is one. A deletion is in the audit log. */
function useHref(projectId: string) {
  const mayAudit = useMay("project:admin");
  return (of: string, id: string): string | null => {
    const safe = encodeURIComponent(id);
    if (of === "conversation") return `${pageHref(projectId, "conversations")}/${safe}`;
    if (of === "backfill") return `${pageHref(projectId, "backfills")}?peek=${safe}`;
    if (of === "run") return `${pageHref(projectId, "rule-runs")}?peek=${safe}`;
    if (of === "backgroundJob") return `${pageHref(projectId, "jobs")}?peek=${safe}`;
    if (of === "deletion" && mayAudit) return `${pageHref(projectId, "audit")}?target=${safe}`;
    return null;
  };
}

/** A job's subjects, each a link if it has a page. */
export function JobSubjects({ projectId, job }: { projectId: string; job: BackgroundJob }) {
  const things = [
    ...(job.conversationCount > 0
      ? [{ of: "conversation", ids: job.conversationIds, count: job.conversationCount }]
      : []),
    ...job.carries,
  ];
  if (things.length === 0) return <Fact label="Target">The project</Fact>;
  return things.map(({ of, ids, count }) => (
    <Fact key={of} label={kindHeading(of, count)}>
      <Ids projectId={projectId} of={of} ids={ids} count={count} />
    </Fact>
  ));
}

function Ids({ projectId, of, ids, count }: { projectId: string; of: string; ids: string[]; count: number }) {
  const [all, setAll] = useState(false);
  const hrefOf = useHref(projectId);
  const shown = all ? ids : ids.slice(0, SHOWN);
  return (
    <>
      <ul className={classes.ids}>
        {shown.map((id) => {
          const href = hrefOf(of, id);
          return (
            <li key={id} className="mono">
              {href === null ? id : <Link href={href}>{id}</Link>}
            </li>
          );
        })}
      </ul>
      {shown.length < ids.length ? (
        <Button variant="default" size="compact-xs" mt={4} onClick={() => setAll(true)}>
          Show {plural(ids.length - shown.length, "more", "more")}
        </Button>
      ) : count > ids.length ? (
        <div className={classes.says}>and {formatCount(count - ids.length)} more</div>
      ) : null}
    </>
  );
}
