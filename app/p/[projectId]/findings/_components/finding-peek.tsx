"use client";
import { Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { PeekPanel } from "@/app/_components/layout/peek-panel";
import { InlineCode } from "@/app/_components/values/inline-code";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Finding } from "@/server/services/diagnostics/schemas";
import { FindingFacts } from "../[findingId]/_components/finding-facts";
import { ReviewActions } from "../[findingId]/_components/review-actions";
import type { Review } from "../[findingId]/_components/use-review";
import { Why } from "../[findingId]/_components/why";

type Props = {
  projectId: string;
  findingId: string;
  /** As in the list, until its details are loaded. */
  known: Finding | undefined;
  review: Review;
  onClose: () => void;
};

/** A Finding next to the list: why it is one, and the review actions. */
export function FindingPeek({ projectId, findingId, known, review, onClose }: Props) {
  const trpc = useTRPC();
  const { data, error, refetch, isFetching } = useQuery(trpc.findings.get.queryOptions({ projectId, findingId }));
  const finding = data?.finding;
  return (
    <PeekPanel
      label="Finding"
      title={<InlineCode text={finding?.title ?? known?.title ?? "Finding"} />}
      openHref={`/p/${projectId}/findings/${encodeURIComponent(findingId)}`}
      onClose={onClose}
    >
      {finding ? (
        <Stack p="md" gap="lg">
          <ReviewActions finding={finding} review={review} />
          <Why projectId={projectId} finding={finding} />
          <FindingFacts projectId={projectId} finding={finding} />
        </Stack>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />
      ) : (
        <Stack p="md" gap="md" role="status" aria-label="Loading the Finding">
          {[90, 60, 75].map((width) => (
            <Skeleton key={width} height={12} width={`${width}%`} />
          ))}
        </Stack>
      )}
    </PeekPanel>
  );
}
