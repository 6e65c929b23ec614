import { Button } from "@mantine/core";
import { IconCircleCheck, IconStack2 } from "@tabler/icons-react";
import Link from "next/link";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { NoMatch } from "@/app/_components/feedback/no-match";
import type { BackgroundJobSummary } from "@/server/services/background-jobs/schemas";
import { pageHref } from "../../_components/shell/pages";
import { isFiltered, type View } from "./view";

type Props = {
  projectId: string;
  view: View;
  summary: BackgroundJobSummary | undefined;
  onClear: () => void;
};

/** Explains why the list is empty: none failed, filtered, run elsewhere, or none yet. */
export function JobsEmpty({ projectId, view, summary, onClear }: Props) {
  const all = (
    <Button variant="default" onClick={onClear}>
      Show all jobs
    </Button>
  );
  if (view.state === "failed") {
    return (
      <EmptyState icon={IconCircleCheck} title="No failed jobs" action={all}>
        A job with no retries left stays here for 30 days and can be replayed.
      </EmptyState>
    );
  }
  if (isFiltered(view)) {
    return <NoMatch title="No job matches" onClear={onClear} clear="Show all jobs" />;
  }
  if (summary?.engine === "inngest") {
    return (
      <EmptyState icon={IconStack2} title="No jobs are stored here">
        They run on the Inngest server, and its dashboard has all of them.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={IconStack2}
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
