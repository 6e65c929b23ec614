"use client";
import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { formatCount, formatExact, formatMinute, plural } from "@/app/_lib/format";
import { type RouterOutputs, useTRPC } from "@/app/_lib/trpc/client";
import { filterInput, type View } from "../view";
import { BucketTable } from "./bucket-table";
import classes from "./histogram.module.css";

type Histogram = RouterOutputs["conversations"]["histogram"];
type Zoom = (range: { range: "custom"; from: number; to: number }) => void;
type Props = { projectId: string; view: View; now: number; onZoom: Zoom; onReset: () => void };

/** Conversations over time above their list; a drag across bars narrows the list to their time. */
export function HistogramPanel({ projectId, view, now, onZoom, onReset }: Props) {
  const trpc = useTRPC();
  const { data } = useQuery(
    trpc.conversations.histogram.queryOptions(filterInput(projectId, view, now), {
      placeholderData: (previous) => previous,
      retry: false,
    }),
  );
  if (data && data.buckets.length === 0) return null;
  return (
    <section className={classes.root} aria-label="Conversations over time">
      {data ? <Bars histogram={data} onZoom={onZoom} /> : <div className={classes.bars} />}
      {data ? (
        <div className={classes.foot}>
          <BucketTable histogram={data} onZoom={onZoom} />
          {view.range === "custom" ? (
            <Button variant="subtle" size="compact-xs" onClick={onReset}>
              Show all times
            </Button>
          ) : null}
        </div>
      ) : null}
    </section>
  );
}

/** The bars are a picture: the table below has their numbers, and zooms too. */
function Bars({ histogram: { width, buckets }, onZoom }: { histogram: Histogram; onZoom: Zoom }) {
  const box = useRef<HTMLDivElement>(null);
  const [drag, setDrag] = useState<{ from: number; to: number } | null>(null);
  const most = Math.max(1, ...buckets.map(({ count }) => count));
  const indexAt = (clientX: number) => {
    const { left, width: across } = box.current!.getBoundingClientRect();
    return Math.min(buckets.length - 1, Math.max(0, Math.floor(((clientX - left) / across) * buckets.length)));
  };
  const chosen = drag && { first: Math.min(drag.from, drag.to), last: Math.max(drag.from, drag.to) };
  const first = buckets[0]!;
  const last = buckets.at(-1)!;
  const total = buckets.reduce((sum, { count }) => sum + count, 0);
  const atLeast = buckets.some(({ sampled }) => sampled) ? "at least " : "";
  return (
    <>
      <div
        ref={box}
        aria-hidden
        className={classes.bars}
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          const at = indexAt(event.clientX);
          setDrag({ from: at, to: at });
        }}
        onPointerMove={(event) => drag && setDrag({ ...drag, to: indexAt(event.clientX) })}
        onPointerCancel={() => setDrag(null)}
        onPointerUp={() => {
          if (chosen === null || width === null) return;
          setDrag(null);
          onZoom({ range: "custom", from: buckets[chosen.first]!.from, to: buckets[chosen.last]!.from + width });
        }}
      >
        {buckets.map(({ from, count, sampled }, index) => (
          <div
            key={from}
            className={classes.bar}
            data-chosen={(chosen && index >= chosen.first && index <= chosen.last) || undefined}
            title={`${formatExact(from)}: ${plural(count, "conversation")}${sampled ? " or more" : ""}`}
          >
            <div style={{ blockSize: count === 0 ? 0 : `max(2px, ${(100 * count) / most}%)` }} />
          </div>
        ))}
      </div>
      <div className={classes.axis}>
        <span>{formatMinute(first.from)}</span>
        <Text size="xs" c="dimmed" span visibleFrom="sm">
          {atLeast}
          {formatCount(total)} in view
        </Text>
        <span>{formatMinute(last.from + (width ?? 0))}</span>
      </div>
    </>
  );
}
