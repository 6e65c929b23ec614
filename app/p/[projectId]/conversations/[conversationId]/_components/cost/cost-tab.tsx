"use client";
import { Table, Text } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import { TableSkeleton } from "@/app/_components/data-table/table-skeleton";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { formatCount, plural } from "@/app/_lib/format";
import type { ModelCall } from "@/server/services/telemetry/schemas";
import type { ConversationData } from "../transcript/transcript";
import { CostSums } from "./cost-sums";
import classes from "./cost-tab.module.css";
import { ModelCallRows } from "./model-call-rows";
import { useModelCalls } from "./use-model-calls";

/** Up to this many rows are all in the DOM, so that the browser's own search finds them. */
const ALL_IN_PAGE = 150;
const ROW = 36;
const NEAR_THE_END = 12;
const NONE: readonly ModelCall[] = [];

/** Each model call's usage, price and cost, with the arithmetic. */
export function CostTab({ projectId, conversation }: { projectId: string; conversation: ConversationData }) {
  const root = useRef<HTMLDivElement>(null);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const { modelCalls: read, hasMore, inPages, readMore, isFetching, error } = useModelCalls(projectId, conversation);
  const modelCalls = read ?? NONE;
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
  const isNear = hasMore && !isFetching && !error && (items.at(-1)?.index ?? 0) >= modelCalls.length - NEAR_THE_END;
  useEffect(() => {
    if (isNear) readMore();
  });
  return (
    <div className={classes.root} ref={root}>
      <CostSums conversation={conversation} modelCalls={modelCalls} />
      {!read ? (
        error ? null : (
          <TableSkeleton rowHeight={ROW} label="Loading model calls" />
        )
      ) : modelCalls.length === 0 ? (
        <Text c="dimmed" p="md">
          This conversation has no model calls.
        </Text>
      ) : (
        <Table.ScrollContainer minWidth={860}>
          <Table className={classes.table} aria-label="Model calls">
            <Head />
            <Spacer size={above} />
            {items.map((item) => {
              const call = modelCalls[item.index];
              const key = keyOf(call);
              return call ? (
                <Table.Tbody key={key} ref={virtual.measureElement} data-index={item.index}>
                  <ModelCallRows
                    projectId={projectId}
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
      {error ? <ErrorState error={error} onRetry={readMore} retrying={isFetching} /> : null}
      {!inPages ? null : (
        <Text size="xs" c="dimmed" p="md" role="status">
          {formatCount(modelCalls.length)} of {plural(conversation.modelCallCount, "model call")}
        </Text>
      )}
    </div>
  );
}

const keyOf = (call: ModelCall | undefined) => `${call?.traceId}/${call?.spanId}`;

const Head = () => (
  <Table.Thead>
    <Table.Tr>
      <Table.Th w={36}>
        <span className={classes.hidden}>Breakdown</span>
      </Table.Th>
      <Table.Th>Model</Table.Th>
      <Table.Th>When</Table.Th>
      <Table.Th ta="end">Duration</Table.Th>
      <Table.Th>Usage</Table.Th>
      <Table.Th>Tier</Table.Th>
      <Table.Th>Price from</Table.Th>
      <Table.Th ta="end">Reported</Table.Th>
      <Table.Th ta="end">Cost</Table.Th>
    </Table.Tr>
  </Table.Thead>
);

/** A placeholder for rows that are not in the DOM. */
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
