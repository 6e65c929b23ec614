"use client";
import { Skeleton, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { fieldProblem } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { TrackerKind } from "@/server/services/connections/schemas";
import { TicketPreviews } from "../../_components/work-items/ticket-previews";

const TYPING_MS = 400;

type Options = {
  projectId: string;
  kind: TrackerKind;
  /** The id of a saved connection with a secret; `null` for any other, which has no preview. */
  connectionId: string | null;
  titleTemplate: string;
  bodyTemplate: string;
};

/** Renders templates for the newest Finding while they are typed. */
export function useTemplatePreview({ projectId, kind, connectionId, ...typed }: Options) {
  const trpc = useTRPC();
  const [titleTemplate] = useDebouncedValue(typed.titleTemplate.trim() || null, TYPING_MS);
  const [bodyTemplate] = useDebouncedValue(typed.bodyTemplate.trim() || null, TYPING_MS);
  const query = useQuery(
    trpc.workItems.preview.queryOptions(
      { projectId, provider: kind, connectionId: connectionId ?? "", titleTemplate, bodyTemplate },
      { enabled: connectionId !== null, placeholderData: keepPreviousData, gcTime: 0, retry: false },
    ),
  );
  return {
    query,
    isOffered: connectionId !== null,
    titleProblem: fieldProblem(query.error, "/titleTemplate"),
    bodyProblem: fieldProblem(query.error, "/bodyTemplate"),
  };
}

/** The newest Finding's ticket with the templates as typed. */
export function TemplatePreview({
  query,
  isOffered,
  titleProblem,
  bodyProblem,
}: ReturnType<typeof useTemplatePreview>) {
  if (!isOffered)
    return (
      <Text size="xs" c="dimmed">
        A preview is shown here once the connection is saved with its secret.
      </Text>
    );
  // Problems with a template are shown at its field.
  if (titleProblem !== null || bodyProblem !== null) return null;
  if (query.error)
    return <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />;
  if (!query.data) return <Skeleton height={120} role="status" aria-label="Preparing the preview" />;
  const { tickets } = query.data;
  return tickets.length === 0 ? (
    <Text size="xs" c="dimmed">
      There is no Finding yet to preview a ticket for.
    </Text>
  ) : (
    <section aria-label="Preview">
      <Text size="sm" fw={500} mb={6}>
        Preview with the newest Finding
      </Text>
      <TicketPreviews tickets={tickets} replaces />
    </section>
  );
}
