"use client";
import { Button, Checkbox, Group, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { notifications } from "@mantine/notifications";
import { IconRefresh } from "@tabler/icons-react";
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useQueryStates } from "nuqs";
import { useEffect, useRef, useState } from "react";
import { TimeRangePicker } from "@/app/_components/controls/time-range-picker";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { ListFrame } from "@/app/_components/layout/list-frame";
import { PageBody, PageSection } from "@/app/_components/layout/page-body";
import { PageHeader } from "@/app/_components/layout/page-header";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { useMay } from "../../../_components/access/membership";
import { pageHref } from "../../../_components/shell/pages";
import { PreviewTable } from "./preview-table";
import { COLUMNS, RepricingRow } from "./repricing-row";
import { callsOf, listInput, type View, viewParsers } from "./view";

const BUSY_MS = 1000;
const QUIET_MS = 300;
const UNDER_WAY = new Set(["queued", "running", "undoing"]);

/** Stored costs computed anew with the prices of now: what would change, what was changed, and taking it back. */
export function Repricings({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const list = useInfiniteQuery(
    trpc.repricings.list.infiniteQueryOptions(listInput(projectId), {
      ...nextPage,
      refetchInterval: (query) =>
        query.state.data?.pages.some((page) => page.repricings.some(({ state }) => UNDER_WAY.has(state)))
          ? BUSY_MS
          : false,
    }),
  );
  const rows = list.data?.pages.flatMap((page) => page.repricings) ?? [];
  const busy = rows.some(({ state }) => UNDER_WAY.has(state));
  const states = list.data && rows.map(({ id, state }) => `${id} ${state}`).join();
  return (
    <>
      <PageHeader
        title="Repricing"
        aside={
          <Button component={Link} href={pageHref(projectId, "prices")} variant="default">
            Prices
          </Button>
        }
      />
      <PageBody>
        <PageSection title="Compute stored costs anew">
          <NewRepricing projectId={projectId} busy={busy} states={states} />
        </PageSection>
        <PageSection title="Earlier" flush>
          <ListFrame
            label="Repricings"
            what="repricing"
            columns={COLUMNS}
            minWidth={440}
            list={list}
            count={rows.length}
            empty={
              <EmptyState icon={<IconRefresh size={32} stroke={1.5} aria-hidden />} title="Nothing was repriced yet">
                Costs are stored with each call and stay as they are when a price changes. Only this changes them, and
                it can be undone.
              </EmptyState>
            }
          >
            {rows.map((repricing, index) => (
              <RepricingRow key={repricing.id} projectId={projectId} repricing={repricing} index={index} busy={busy} />
            ))}
          </ListFrame>
        </PageSection>
      </PageBody>
    </>
  );
}

/** `states` of the repricings so far: another after each step of one. Undefined until they are known. */
function NewRepricing(props: { projectId: string; busy: boolean; states: string | undefined }) {
  const { projectId, busy, states } = props;
  const trpc = useTRPC();
  const queries = useQueryClient();
  const may = useMay("model-pricing:write");
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  // One moment for the preview and for what is started from it.
  const [now] = useState(() => Date.now());
  const [asked] = useDebouncedValue<View>(view, QUIET_MS);
  const calls = callsOf(projectId, asked, now);
  const preview = useQuery(
    trpc.repricings.preview.queryOptions(calls, { enabled: !busy, placeholderData: (was) => was }),
  );
  const { refetch } = preview;
  const statesAsked = useRef(states);
  useEffect(() => {
    const before = statesAsked.current;
    if (before !== undefined && (busy || states === before)) return;
    statesAsked.current = states;
    // What would change is another thing after each repricing, also after one that was done before it was seen under way.
    if (before !== undefined) void refetch();
  }, [busy, states, refetch]);
  const create = useMutation(
    trpc.repricings.create.mutationOptions({
      onSuccess: () => {
        void queries.invalidateQueries({ queryKey: trpc.repricings.list.infiniteQueryKey(listInput(projectId)) });
        notifications.show({ message: "Repricing has started. It goes on when you leave this page." });
      },
      onError: () => void preview.refetch(),
    }),
  );
  const found = preview.data?.preview;
  return (
    <Stack gap="md">
      <Group gap="sm" align="flex-end">
        <TimeRangePicker
          what="Called"
          value={view}
          onChange={({ range, from, to }) => void setView({ range: range ?? "custom", from, to })}
        />
        <TextInput
          size="xs"
          w={240}
          aria-label="Model as the client names it"
          placeholder="Any model"
          spellCheck={false}
          value={view.model ?? ""}
          onChange={(event) => void setView({ model: event.currentTarget.value || null })}
        />
        <Checkbox
          size="xs"
          mb={6}
          label="Only calls without a known cost"
          checked={view.only}
          onChange={(event) => void setView({ only: event.currentTarget.checked })}
        />
      </Group>
      {busy ? (
        <Text size="sm" c="dimmed">
          One at a time: what would change is shown when the one under way has ended.
        </Text>
      ) : preview.error ? (
        <ErrorState error={preview.error} onRetry={() => void preview.refetch()} retrying={preview.isFetching} />
      ) : found ? (
        <PreviewTable preview={found} />
      ) : (
        <Text size="sm" c="dimmed" role="status">
          Looking at the calls…
        </Text>
      )}
      {create.error ? (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {problemOf(create.error).detail}
        </Text>
      ) : null}
      {may ? (
        <div>
          <Button
            disabled={busy || !found || (found.total.changed === 0 && found.complete) || preview.isFetching}
            loading={create.isPending}
            onClick={() => found && create.mutate({ ...calls, pricesVersion: found.pricesVersion })}
          >
            {found?.complete && found.total.changed > 0
              ? `Reprice ${found.total.changed.toLocaleString("en-US")} ${found.total.changed === 1 ? "call" : "calls"}`
              : "Reprice"}
          </Button>
        </div>
      ) : (
        <Text size="xs" c="dimmed">
          You may look at this and not start it: ask for the role of an editor.
        </Text>
      )}
    </Stack>
  );
}
