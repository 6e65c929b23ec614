import { Button } from "@mantine/core";
import { IconChecks } from "@tabler/icons-react";
import Link from "next/link";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { plural } from "@/app/_lib/format";

type Props = {
  projectId: string;
  /** Only this Dataset's candidates are shown. */
  datasetId: string | null;
  /** Decided before in this session. */
  done: number;
  onAll: () => void;
};

/** Tells the reader that no candidate is pending, and where candidates come from. */
export const NothingToReview = ({ projectId, datasetId, done, onAll }: Props) => (
  <EmptyState
    icon={IconChecks}
    title={done > 0 ? `All done: ${plural(done, "candidate")} reviewed` : "No candidate is waiting"}
    action={
      datasetId === null ? (
        <Button variant="default" component={Link} href={`/p/${encodeURIComponent(projectId)}/datasets`}>
          Open Datasets
        </Button>
      ) : (
        <Button variant="default" onClick={onAll}>
          Review all Datasets
        </Button>
      )
    }
  >
    Candidates come from Datasets with an objective that collect automatically: each conversation is checked once it is
    inactive. A Dataset’s settings show what it would have collected from the last 30 days. Candidates that other
    reviewers have claimed are not shown here.
  </EmptyState>
);
