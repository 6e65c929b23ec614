import { Button } from "@mantine/core";
import { IconCircleCheck, IconFilterOff, IconStack2 } from "@tabler/icons-react";
import Link from "next/link";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import type { BackgroundJobSummary } from "@/server/services/background-jobs/schemas";
import { pageHref } from "../../_components/shell/pages";
import { isFiltered, type View } from "./view";

type Props = {
  projectId: string;
  view: View;
  summary: BackgroundJobSummary | undefined;
  onClear: () => void;
};

const ICON = { size: 32, stroke: 1.5, "aria-hidden": true } as const;

/** Explains why the list is empty: none failed, filtered, run elsewhere, or none yet. */
export function JobsEmpty({ projectId, view, summary, onClear }: Props) {
  const all = (
    <Button variant="default" onClick={onClear}>
      Show all jobs
    </Button>
  );
  if (view.state === "failed") {
    return (
      <EmptyState icon={<IconCircleCheck {...ICON} />} title="No failed jobs" action={all}>
        A job with no retries left stays here for 30 days and can be replayed.
      </EmptyState>
    );
  }
  if (isFiltered(view)) {
    return (
      <EmptyState icon={<IconFilterOff {...ICON} />} title="No job matches" action={all}>
        There may be others outside these filters.
      </EmptyState>
    );
  }
  if (summary?.engine === "inngest") {
    return (
      <EmptyState icon={<IconStack2 {...ICON} />} title="No jobs are stored here">
        They run on the Inngest server, and its dashboard has all of them.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<IconStack2 {...ICON} />}
      title="No jobs yet"
      action={
        <Button component={Link} href={pageHref(projectId, "send-a-trace")}>
          Send your first trace
        </Button>
      }
    >
      Diagnosis, deletions and housekeeping run automatically as jobs. Completed jobs are listed for 3 days, failed and
      cancelled ones for 30.
    </EmptyState>
  );
}
