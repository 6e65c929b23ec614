"use client";
import { Button } from "@mantine/core";
import { useState } from "react";
import { Fact } from "@/app/_components/values/fact";
import { formatCount, plural } from "@/app/_lib/format";
import type { BackgroundJob } from "@/server/services/background-jobs/schemas";
import { useMay } from "../../_components/access/membership";
import { ThingId } from "../../_components/things/thing-id";
import { ThingName } from "../../_components/things/thing-name";
import classes from "./jobs.module.css";
import { kindHeading, subjectsOf } from "./words";

/** Ids of one kind shown initially. */
const SHOWN = 5;

/** A job's subjects, each a link if it has a page. */
export function JobSubjects({ projectId, job }: { projectId: string; job: BackgroundJob }) {
  const things = subjectsOf(job);
  if (things.length === 0) return <Fact label="Target">The project</Fact>;
  return things.map(({ of, ids, count }) => (
    <Fact key={of} label={kindHeading(of, count)}>
      <Ids projectId={projectId} of={of} ids={ids} count={count} names={job.names} />
    </Fact>
  ));
}

type IdsProps = { projectId: string; of: string; ids: string[]; count: number; names: Record<string, string> };

function Ids({ projectId, of, ids, count, names }: IdsProps) {
  const [all, setAll] = useState(false);
  // A deletion is in the audit log, which not everyone may read.
  const mayAudit = useMay("project:admin");
  const shown = all ? ids : ids.slice(0, SHOWN);
  return (
    <>
      <ul className={classes.ids}>
        {shown.map((id) => (
          <li key={id}>
            {of === "deletion" && !mayAudit ? (
              <span className="mono">{id}</span>
            ) : (
              <ThingName projectId={projectId} thing={{ type: of, id, name: names[id] ?? null }} />
            )}
            {names[id] === undefined ? null : <ThingId id={id} />}
          </li>
        ))}
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
