import { ActionIcon } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconArrowDown, IconArrowUp, IconPinnedOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useState } from "react";
import { PageSection } from "@/app/_components/layout/page-body";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { SavedView } from "@/server/services/saved-views/schemas";
import { Value } from "../../charts/_components/chart-numbers";
import { ChartPicture } from "../../charts/_components/chart-picture";
import {
  chartHref,
  chartInput,
  isComplete,
  MEASURE_WORDS,
  type View,
  viewParsers,
} from "../../charts/_components/view";
import { usePinnedCharts } from "../saved-views/use-pinned-charts";
import { stateOf } from "../saved-views/view-query";
import series from "../series/series.module.css";
import classes from "./home.module.css";

/** The charts that the reader pinned, in the order of their own. */
export function Pinned({ projectId }: { projectId: string }) {
  const { pinned, update } = usePinnedCharts(projectId);
  const charts = pinned.data?.savedViews;
  const set = (savedViewIds: string[]) =>
    update.mutate(
      { projectId, savedViewIds },
      { onError: (error) => notifications.show({ color: "red", message: problemOf(error).title }) },
    );
  // Until they are known, nobody is told that there are none.
  if (!charts) return null;
  const ids = charts.map(({ id }) => id);
  const moved = (from: number, to: number) => ids.with(from, ids[to] ?? "").with(to, ids[from] ?? "");
  return (
    <PageSection title="Pinned" wide>
      {charts.length === 0 ? (
        <p className={classes.quiet}>
          Cost per user, refund failures by release: <Link href={chartHref(projectId)}>make a chart</Link> and pin it
          here.
        </p>
      ) : (
        <>
          <ul className={`${classes.pinned} ${series.colours}`} aria-label="Pinned charts">
            {charts.map((chart, at) => (
              <PinnedChart
                key={chart.id}
                projectId={projectId}
                saved={chart}
                busy={update.isPending}
                onUp={at === 0 ? null : () => set(moved(at, at - 1))}
                onDown={at === charts.length - 1 ? null : () => set(moved(at, at + 1))}
                onUnpin={() => set(ids.filter((id) => id !== chart.id))}
              />
            ))}
          </ul>
          <p className={classes.quiet}>
            <Link href={chartHref(projectId)}>Make another chart</Link>
          </p>
        </>
      )}
    </PageSection>
  );
}

const HEIGHT = 140;

type Props = {
  projectId: string;
  saved: SavedView;
  busy: boolean;
  onUp: (() => void) | null;
  onDown: (() => void) | null;
  onUnpin: () => void;
};

function PinnedChart({ projectId, saved, busy, onUp, onDown, onUnpin }: Props) {
  const { name } = saved;
  const button = (label: string, Icon: typeof IconArrowUp, act: (() => void) | null) => (
    <ActionIcon
      size="sm"
      variant="subtle"
      color="gray"
      aria-label={`${label} “${name}”`}
      title={label}
      disabled={act === null || busy}
      onClick={() => act?.()}
    >
      <Icon size={14} aria-hidden />
    </ActionIcon>
  );
  return (
    <li className={classes.card}>
      <div className={classes.cardHead}>
        <Link href={chartHref(projectId, saved.query)} className={classes.title} title={name}>
          {name}
        </Link>
        <span className={classes.cardActions}>
          {button("Move up", IconArrowUp, onUp)}
          {button("Move down", IconArrowDown, onDown)}
          {button("Unpin", IconPinnedOff, onUnpin)}
        </span>
      </div>
      <SavedChart projectId={projectId} saved={saved} />
    </li>
  );
}

/** A saved chart, read when it is shown: Home does not wait for it. */
function SavedChart({ projectId, saved }: { projectId: string; saved: SavedView }) {
  const trpc = useTRPC();
  const [now] = useState(() => Date.now());
  const view = stateOf(viewParsers, saved.query) as View;
  const { data, error } = useQuery(
    trpc.charts.query.queryOptions(chartInput(projectId, view, now), { enabled: isComplete(view) }),
  );
  const chart = data?.chart;
  if (!isComplete(view)) return <p className={classes.quiet}>Nothing was chosen to measure. Open it to choose.</p>;
  if (error && !chart) return <p className={classes.quiet}>{problemOf(error).detail}</p>;
  if (!chart) return <div style={{ blockSize: HEIGHT }} />;
  if (chart.total.n === 0) return <p className={classes.quiet}>Nothing in this period.</p>;
  return (
    <>
      <p className={classes.quiet}>
        {MEASURE_WORDS[chart.measure]}: <Value chart={chart} point={chart.total} />
      </p>
      <ChartPicture title={saved.name} chart={chart} now={now} height={HEIGHT} />
    </>
  );
}
