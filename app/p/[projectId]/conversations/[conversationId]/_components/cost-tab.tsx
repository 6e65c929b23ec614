"use client";
import { Table, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { AtLeast } from "@/app/_components/cost-total";
import { ErrorState } from "@/app/_components/error-state";
import { Money } from "@/app/_components/money";
import { formatCount, plural } from "@/app/_lib/format";
import { nextPage } from "@/app/_lib/next-page";
import { useTRPC } from "@/app/_lib/trpc";
import { useEnd } from "@/app/_lib/use-end";
import classes from "./cost-tab.module.css";
import { ModelCallRows } from "./model-call-rows";
import type { ConversationData } from "./transcript";
import { useForgetLater } from "./use-forget-later";

/** Rows that are added as one scrolls. */
const ROWS = 250;

/** What each model call used and cost, by which price: the arithmetic is on the page. */
export function CostTab({ projectId, conversation }: { projectId: string; conversation: ConversationData }) {
  const trpc = useTRPC();
  const { modelCallCount, unpricedCallCount, modelCallsCursor } = conversation;
  const [wanted, setWanted] = useState(ROWS);
  const root = useRef<HTMLDivElement>(null);
  const later = useInfiniteQuery(
    trpc.conversations.modelCalls.infiniteQueryOptions(
      { projectId, conversationId: conversation.id, limit: ROWS },
      {
        ...nextPage,
        initialCursor: modelCallsCursor,
        enabled: modelCallsCursor !== null && wanted > conversation.modelCalls.length,
      },
    ),
  );
  useForgetLater(modelCallsCursor, trpc.conversations.modelCalls.pathKey());
  const modelCalls = [...conversation.modelCalls, ...(later.data?.pages.flatMap((page) => page.modelCalls) ?? [])];
  const shown = modelCalls.slice(0, wanted);
  const end = useEnd(root, shown.length, () => {
    if (later.isFetching) return;
    if (shown.length === modelCalls.length && later.hasNextPage) void later.fetchNextPage();
    if (shown.length < modelCallCount) setWanted(shown.length + ROWS);
  });
  // Of what is read: all of nearly every conversation.
  const whole = modelCalls.length >= modelCallCount;
  const unpriced = modelCalls.filter((call) => call.cost?.total == null);
  const reported = modelCalls.filter((call) => call.reportedCost !== null);
  const names = [...new Set(unpriced.map((call) => call.responseModel ?? call.requestedModel ?? "no model named"))];
  return (
    <div className={classes.root} ref={root}>
      <div className={classes.sums}>
        <div>
          <div className={classes.label}>Cost</div>
          <div className={classes.sum}>
            <AtLeast usd={conversation.cost} unpriced={unpricedCallCount} />
          </div>
          <Text size="xs" c="dimmed">
            of {formatCount(modelCallCount - unpricedCallCount)} of {plural(modelCallCount, "model call")}
          </Text>
        </div>
        {unpricedCallCount > 0 ? (
          <div>
            <div className={classes.label}>Without a known cost</div>
            <div className={classes.sum}>{formatCount(unpricedCallCount)}</div>
            <Text size="xs" c="dimmed" className="mono">
              {names.join(", ")}
              {unpriced.length < unpricedCallCount ? " and perhaps others" : ""}
            </Text>
          </div>
        ) : null}
        {reported.length > 0 ? (
          <div>
            <div className={classes.label}>Reported by the client</div>
            <div className={classes.sum}>
              <Money usd={reported.reduce((sum, call) => sum + (call.reportedCost ?? 0), 0)} />
            </div>
            <Text size="xs" c="dimmed">
              of {plural(reported.length, "call")}
              {whole ? "" : ` among the first ${formatCount(modelCalls.length)}`}; never added to ours
            </Text>
          </div>
        ) : null}
      </div>
      {modelCalls.length === 0 ? (
        <Text c="dimmed" p="md">
          No span of this conversation is a model call.
        </Text>
      ) : (
        <Table.ScrollContainer minWidth={860}>
          <Table className={classes.table} aria-label="Model calls">
            <Table.Thead>
              <Table.Tr>
                <Table.Th w={36}>
                  <span className={classes.hidden}>Breakdown</span>
                </Table.Th>
                <Table.Th>Model</Table.Th>
                <Table.Th>When</Table.Th>
                <Table.Th ta="end">Took</Table.Th>
                <Table.Th>Usage</Table.Th>
                <Table.Th>Tier</Table.Th>
                <Table.Th>Price from</Table.Th>
                <Table.Th ta="end">Reported</Table.Th>
                <Table.Th ta="end">Cost</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {shown.map((call) => (
                <ModelCallRows key={`${call.traceId}/${call.spanId}`} call={call} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {modelCallCount > ROWS ? (
        <div ref={end}>
          {later.error ? (
            <ErrorState
              error={later.error}
              onRetry={() => void (later.data ? later.fetchNextPage() : later.refetch())}
              retrying={later.isFetching}
            />
          ) : null}
          <Text size="xs" c="dimmed" p="md" role="status">
            {formatCount(shown.length)} of {plural(modelCallCount, "model call")}
          </Text>
        </div>
      ) : null}
    </div>
  );
}
