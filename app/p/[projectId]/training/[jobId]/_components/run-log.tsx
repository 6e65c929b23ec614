"use client";
import { Button, SegmentedControl } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { StaleNote } from "@/app/_components/feedback/stale-note";
import { formatExact, plural } from "@/app/_lib/format";
import type { TrainingEvent } from "@/server/services/training/events/schemas";
import type { TrainingJob } from "@/server/services/training/jobs/schemas";
import { isMoving } from "../../../_components/training/words";
import classes from "./run-page.module.css";
import { useEvents } from "./use-events";
import { LEVELS } from "./view";

type Level = (typeof LEVELS)[number];
type Props = { projectId: string; job: TrainingJob; level: Level; onLevel: (level: Level) => void };

const LEVEL_WORDS: Record<Level, string> = { info: "All", warn: "Warnings", error: "Errors" };
const ENTRY_PX = 22;
/** The log follows its end if the view is closer to it than this. */
const END_PX = 24;

/** A run's log. It follows new entries while its end is in view, and keeps its scroll position once scrolled up. */
export function RunLog({ projectId, job, level, onLevel }: Props) {
  const { events, error, complete, retry } = useEvents(projectId, job.id);
  const shown = events.filter((event) => LEVELS.indexOf(event.level) >= LEVELS.indexOf(level));
  const box = useRef<HTMLDivElement>(null);
  const [following, setFollowing] = useState(true);
  const [seen, setSeen] = useState(0);
  const count = shown.length;
  const rows = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => ENTRY_PX,
    getItemKey: (index) => shown[index]?.seq ?? index,
    overscan: 20,
  });
  const toEnd = () => box.current?.scrollTo({ top: box.current.scrollHeight });
  const height = rows.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a taller log has a new end
  useLayoutEffect(() => {
    if (following) toEnd();
  }, [following, height]);
  useEffect(() => {
    if (following) setSeen(count);
  }, [following, count]);
  const fresh = count - seen;
  return (
    <>
      <StaleNote error={error} dataUpdatedAt={events.at(-1)?.at ?? 0} onRetry={retry} />
      <div className={classes.logBar}>
        <SegmentedControl
          aria-label="Entries"
          value={level}
          onChange={(value) => onLevel(LEVELS.find((known) => known === value) ?? "info")}
          data={LEVELS.map((value) => ({ value, label: LEVEL_WORDS[value] }))}
        />
        <span className={classes.logEmpty} style={{ padding: 0, fontSize: "var(--mantine-font-size-xs)" }}>
          {plural(count, "entry", "entries")}
          {isMoving(job) ? ", live" : ""}
        </span>
        {following ? null : (
          <Button
            variant="default"
            onClick={() => {
              setFollowing(true);
              toEnd();
            }}
          >
            {fresh > 0 ? `${plural(fresh, "new entry", "new entries")}: to the end` : "To the end"}
          </Button>
        )}
      </div>
      <div
        ref={box}
        className={classes.log}
        role="log"
        aria-label="Log, scrollable"
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) =>
          setFollowing(scrollHeight - scrollTop - clientHeight < END_PX)
        }
      >
        {count === 0 ? (
          <p className={classes.logEmpty}>
            {!complete ? "Loading the log…" : events.length === 0 ? "Nothing was logged yet." : "No such entry."}
          </p>
        ) : (
          <div style={{ position: "relative", blockSize: height }}>
            {rows.getVirtualItems().map(({ index, key, start }) => {
              const event = shown[index];
              return event ? (
                <div
                  key={key}
                  ref={rows.measureElement}
                  data-index={index}
                  style={{ position: "absolute", insetInline: 0, transform: `translateY(${start}px)` }}
                >
                  <Entry event={event} />
                </div>
              ) : null;
            })}
          </div>
        )}
      </div>
    </>
  );
}

const Entry = ({ event }: { event: TrainingEvent }) => (
  <div className={classes.entry} data-level={event.level}>
    <time title={formatExact(event.at)} suppressHydrationWarning>
      {new Date(event.at).toLocaleTimeString("en-GB")}
    </time>
    <span>{event.level}</span>
    <span dir="auto" title={event.type}>
      {event.message === "" ? event.type : event.message}
    </span>
  </div>
);
