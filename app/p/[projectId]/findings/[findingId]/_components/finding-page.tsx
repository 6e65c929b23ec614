"use client";
import { Skeleton, Stack } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { StaleNote } from "@/app/_components/feedback/stale-note";
import { BackLink } from "@/app/_components/layout/back-link";
import { PageHeader } from "@/app/_components/layout/page-header";
import { InlineCode } from "@/app/_components/values/inline-code";
import { useListHref } from "@/app/_lib/remember-list";
import { useTRPC } from "@/app/_lib/trpc/client";
import { ESC, useKeys } from "@/app/_lib/use-keys";
import { FindingState } from "@/app/p/[projectId]/_components/findings/finding-state";
import { CopyForAgent } from "../../../_components/sharing/copy-for-agent";
import { ShareButton } from "../../../_components/sharing/share-button";
import { Causes, MergedAway } from "./causes";
import { FindingFacts } from "./finding-facts";
import classes from "./finding-page.module.css";
import { History } from "./history";
import { Notes } from "./notes";
import { Occurrences } from "./occurrences";
import { Proof } from "./proof";
import { RateByDay } from "./rate-by-day";
import { ReviewActions } from "./review-actions";
import { SeverityPin } from "./severity-pin";
import { Story } from "./story/story";
import { Ticket } from "./ticket/ticket";
import { Contrast } from "./traits/contrast";
import { Traits } from "./traits/traits";
import { useReview, useReviewKeys } from "./use-review";
import { Why } from "./why";

export function FindingPage({ projectId, findingId }: { projectId: string; findingId: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const queries = useQueryClient();
  const back = useListHref(`/p/${projectId}/findings`);
  const query = useQuery(trpc.findings.get.queryOptions({ projectId, findingId }, { refetchInterval: 20_000 }));
  useKeys({ [ESC]: () => router.push(back) });
  const finding = query.data?.finding;
  const review = useReview(projectId);
  useReviewKeys(review, () => finding);
  if (!finding) {
    return query.error ? (
      <>
        <PageHeader title="Finding" />
        <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
      </>
    ) : (
      <Stack p="md" gap="lg" role="status" aria-label="Loading the Finding">
        {[40, 90, 70, 80, 60].map((width) => (
          <Skeleton key={width} height={14} width={`${width}%`} />
        ))}
      </Stack>
    );
  }
  return (
    <>
      <PageHeader
        title={
          <span className={classes.title}>
            <BackLink href={back} label="All Findings" />
            <span>
              <InlineCode text={finding.title} />
            </span>
          </span>
        }
        aside={
          <>
            <ReviewActions finding={finding} review={review} />
            <CopyForAgent
              isIcon
              read={() => queries.fetchQuery(trpc.findings.handOff.queryOptions({ projectId, findingId }))}
              what="the Finding with its evidence"
            />
            <ShareButton projectId={projectId} shared={{ findingId }} />
          </>
        }
      >
        <span className={classes.state}>
          <SeverityPin finding={finding} review={review} />
          <FindingState finding={finding} />
        </span>
      </PageHeader>
      <StaleNote error={query.error} dataUpdatedAt={query.dataUpdatedAt} onRetry={() => void query.refetch()} />
      {finding.mergedIntoId === null ? null : <MergedAway projectId={projectId} into={finding.mergedIntoId} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <section className={classes.columns} tabIndex={0} aria-label="The Finding, scrollable">
        <div className={classes.main}>
          <Story projectId={projectId} finding={finding} />
          <Why projectId={projectId} finding={finding} />
          <RateByDay projectId={projectId} finding={finding} />
          <Proof projectId={projectId} findingId={findingId} />
          <Traits projectId={projectId} findingId={findingId} />
          <Contrast projectId={projectId} findingId={findingId} />
          <Causes projectId={projectId} findingId={findingId} />
          <Occurrences projectId={projectId} findingId={findingId} count={finding.occurrenceCount} />
        </div>
        <section className={classes.rail} aria-label="Ticket, numbers and notes">
          <Ticket projectId={projectId} finding={finding} />
          <FindingFacts projectId={projectId} finding={finding} />
          <Notes projectId={projectId} findingId={findingId} />
          <History projectId={projectId} findingId={findingId} />
        </section>
      </section>
    </>
  );
}
