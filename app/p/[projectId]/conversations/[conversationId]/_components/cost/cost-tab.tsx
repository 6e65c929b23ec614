"use client";
import { Table, Text } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { Money } from "@/app/_components/values/money";
import { formatCount, plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { AtLeast } from "@/app/p/[projectId]/_components/costs/cost-total";
import type { ModelCall } from "@/server/services/telemetry/schemas";
import type { ConversationData } from "../transcript/transcript";
import { useForgetLater } from "../use-forget-later";
import classes from "./cost-tab.module.css";
import { ModelCallRows } from "./model-call-rows";

/** Calls that are read at once behind those that come with the conversation. */
const PAGE = 250;
/** Up to here every row is in the page, where the browser's own search finds it. */
const ALL_IN_PAGE = 150;
const ROW = 36;
const NEAR_THE_END = 12;

/** What each model call used and cost, by which price: the arithmetic is on the page. */
export function CostTab({ projectId, conversation }: { projectId: string; conversation: ConversationData }) {
  const trpc = useTRPC();
  const { modelCallCount, unpricedCallCount, modelCallsCursor } = conversation;
  const root = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const later = useInfiniteQuery(
    trpc.conversations.modelCalls.infiniteQueryOptions(
      { projectId, conversationId: conversation.id, limit: PAGE },
      {
        ...nextPage,
        initialCursor: modelCallsCursor,
        // Scrolling asks for it.
        enabled: false,
      },
    ),
  );
  useForgetLater(modelCallsCursor, trpc.conversations.modelCalls.pathKey());
  const modelCalls = [...conversation.modelCalls, ...(later.data?.pages.flatMap((page) => page.modelCalls) ?? [])];
  const virtual = useVirtualizer({
    count: modelCalls.length,
    getScrollElement: () => root.current,
    estimateSize: () => ROW,
    getItemKey: (index) => keyOf(modelCalls[index]),
    overscan: modelCalls.length <= ALL_IN_PAGE ? ALL_IN_PAGE : NEAR_THE_END,
    initialRect: { width: 1000, height: 900 },
  });
  const items = virtual.getVirtualItems();
  const above = items[0]?.start ?? 0;
  const below = Math.max(0, virtual.getTotalSize() - (items.at(-1)?.end ?? 0));
  const more = later.data ? later.hasNextPage : modelCallsCursor !== null;
  const readMore = () => void (later.data ? later.fetchNextPage() : later.refetch());
  const isNear =
    more && !later.isFetching && !later.error && (items.at(-1)?.index ?? 0) >= modelCalls.length - NEAR_THE_END;
  useEffect(() => {
    if (isNear) readMore();
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
            <Spacer size={above} />
            {items.map((item) => {
              const call = modelCalls[item.index];
              const key = keyOf(call);
              return call ? (
                <Table.Tbody key={key} ref={virtual.measureElement} data-index={item.index}>
                  <ModelCallRows
                    call={call}
                    open={opened.has(key)}
                    onToggle={() => setOpened((known) => toggled(known, key))}
                  />
                </Table.Tbody>
              ) : null;
            })}
            <Spacer size={below} />
          </Table>
        </Table.ScrollContainer>
      )}
      {later.error ? <ErrorState error={later.error} onRetry={readMore} retrying={later.isFetching} /> : null}
      {modelCallsCursor === null ? null : (
        <Text size="xs" c="dimmed" p="md" role="status">
          {formatCount(modelCalls.length)} of {plural(modelCallCount, "model call")}
        </Text>
      )}
    </div>
  );
}

const keyOf = (call: ModelCall | undefined) => `${call?.traceId}/${call?.spanId}`;

/** Stands for rows that are not in the page. */
const Spacer = ({ size }: { size: number }) =>
  size > 0 ? (
    <Table.Tbody aria-hidden>
      <Table.Tr style={{ blockSize: size }} />
    </Table.Tbody>
  ) : null;

function toggled(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(keys);
  if (!next.delete(key)) next.add(key);
  return next;
}
