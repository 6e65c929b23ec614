"use client";
import { Button, Skeleton, Stack } from "@mantine/core";
import { IconPlugConnected } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useQueryStates } from "nuqs";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { PageHeader } from "@/app/_components/layout/page-header";
import { useTRPC } from "@/app/_lib/trpc/client";
import { pageHref } from "../../../_components/shell/pages";
import { storedDraft } from "../../../_components/variants/draft";
import { useBaseModels, useEndpoints } from "../../../_components/variants/use-endpoints";
import { VariantEditor } from "./variant-editor";
import { newVariantParsers } from "./view";

/** What is written beside does not change meanwhile. */
const ONCE = { staleTime: Number.POSITIVE_INFINITY };

/** Writes a variant beside recorded answers, once what it starts from is read. */
export function NewVariant({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const [view] = useQueryStates(newVariantParsers);
  const [endpoints, baseModels] = [useEndpoints(projectId), useBaseModels(projectId)];
  const from = useQuery(
    trpc.variants.get.queryOptions({ projectId, variantId: view.from ?? "" }, { enabled: view.from !== null }),
  );
  const ofFinding = useQuery(
    trpc.variants.faultyTurns.queryOptions(
      { projectId, findingId: view.finding ?? "" },
      { enabled: view.finding !== null, ...ONCE },
    ),
  );
  const isOne = view.finding === null && view.conversation !== null && view.message !== null;
  const ofConversation = useQuery(
    trpc.variants.recordedTurn.queryOptions(
      { projectId, conversationId: view.conversation ?? "", messageIndex: view.message ?? 0 },
      { enabled: isOne, ...ONCE },
    ),
  );
  const turns = isOne ? ofConversation : ofFinding;
  const failed = [turns, from].find(({ error, data }) => error !== null && data === undefined);
  if (failed) {
    return (
      <>
        <PageHeader title="New variant" />
        <ErrorState error={failed.error} onRetry={() => void failed.refetch()} retrying={failed.isFetching} />
      </>
    );
  }
  const isRead =
    endpoints !== undefined &&
    baseModels !== undefined &&
    ((view.finding === null && !isOne) || turns.data !== undefined) &&
    (view.from === null || from.data);
  if (!isRead) {
    return (
      <Stack p="md" gap="lg" role="status" aria-label="Loading the variant">
        {[40, 90, 70, 80].map((width) => (
          <Skeleton key={width} height={14} width={`${width}%`} />
        ))}
      </Stack>
    );
  }
  const all = [...endpoints, ...baseModels];
  if (all.length === 0) {
    return (
      <>
        <PageHeader title="New variant" />
        <EmptyState
          icon={IconPlugConnected}
          title="No model is connected"
          action={
            <Button component={Link} href={pageHref(projectId, "integrations")}>
              Integrations
            </Button>
          }
        >
          A variant is tried on a model of your provider, or on one that you serve. Connect any endpoint with OpenAI’s
          API under Integrations, deploy a checkpoint or attach a trainer, then come back.
        </EmptyState>
      </>
    );
  }
  return (
    <VariantEditor
      projectId={projectId}
      endpoints={all}
      turns={turns.data?.turns ?? []}
      problem={turns.data?.problem ?? null}
      from={from.data?.variant ?? null}
      draft={view.draft === null ? null : storedDraft(projectId)}
      findingId={view.finding ?? from.data?.variant.findingId ?? null}
    />
  );
}
