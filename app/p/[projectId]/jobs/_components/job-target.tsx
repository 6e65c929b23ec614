import { plural } from "@/app/_lib/format";
import type { BackgroundJob } from "@/server/services/background-jobs/schemas";
import { ThingId } from "../../_components/things/thing-id";
import { calledOf, type Thing, ThingName } from "../../_components/things/thing-name";
import classes from "./jobs.module.css";
import { subjectsOf, subjectWords } from "./words";

/** What a job is about: its first conversation, else the first thing that its event names, and how many there are. */
export function JobTarget({ projectId, job }: { projectId: string; job: BackgroundJob }) {
  const [subject] = subjectsOf(job);
  const id = subject?.ids[0];
  if (subject === undefined || id === undefined) return <span className={classes.dimmed}>The project</span>;
  const thing: Thing = { type: subject.of, id, name: job.names[id] ?? null };
  return (
    <>
      <div className="clip" title={calledOf(thing)}>
        <ThingName projectId={projectId} thing={thing} />
        {subject.count > 1 ? ` and ${plural(subject.count - 1, "other")}` : null}
      </div>
      {subject.count > 1 || calledOf(thing) === id ? (
        <span className={classes.line}>{subjectWords(job)}</span>
      ) : (
        <ThingId id={id} />
      )}
    </>
  );
}
