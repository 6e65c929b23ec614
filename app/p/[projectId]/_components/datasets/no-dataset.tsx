import { Anchor, Skeleton, Text } from "@mantine/core";
import Link from "next/link";
import { ErrorState } from "@/app/_components/feedback/error-state";
import type { useDatasets } from "./use-datasets";

type Props = { projectId: string; datasets: ReturnType<typeof useDatasets> };

/** Shown instead of the Dataset select while there is none to choose: not loaded yet, not readable, or none created. */
export function NoDataset({ projectId, datasets }: Props) {
  if (datasets.error)
    return <ErrorState error={datasets.error} onRetry={() => void datasets.refetch()} retrying={datasets.isFetching} />;
  if (!datasets.data) return <Skeleton height={58} role="status" aria-label="Loading the Datasets" />;
  return (
    <Text size="sm">
      There is no Dataset yet.{" "}
      <Anchor component={Link} underline="always" href={`/p/${projectId}/datasets?new=true`} inherit>
        Create one
      </Anchor>{" "}
      first.
    </Text>
  );
}
