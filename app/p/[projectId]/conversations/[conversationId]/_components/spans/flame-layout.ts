import type { PlacedSpan, TreeSpan } from "./span-tree";

/** A span's bar, with its position in the tree. */
export type FlameBar = { position: number; start: number; end: number };

/**
 * Returns the lanes of a flame chart, each a list of bars by time: a span is below its parent, in the first lane where it
 * overlaps no other, so that parallel work is side by side.
 */
export function flameLanes(placed: readonly PlacedSpan<TreeSpan>[]): FlameBar[][] {
  const lanes: FlameBar[][] = [];
  const laneOf = new Map<number, number>();
  const byTime = placed
    .map(({ span }, position) => ({ position, start: span.startedAt, end: Math.max(span.startedAt, span.endedAt) }))
    .sort((a, b) => a.start - b.start || a.position - b.position);
  for (const bar of byTime) {
    const { parent, depth } = placed[bar.position]!;
    // With clocks that differ, a child can start before its parent, which then has no lane yet.
    let lane = parent < 0 ? 0 : (laneOf.get(parent) ?? depth - 1) + 1;
    while ((lanes[lane]?.at(-1)?.end ?? Number.NEGATIVE_INFINITY) > bar.start) lane++;
    while (lanes.length <= lane) lanes.push([]);
    lanes[lane]!.push(bar);
    laneOf.set(bar.position, lane);
  }
  return lanes;
}

/** A bar as drawn, in pixels: one span, or several that are too narrow to tell apart. */
export type DrawnBar = { positions: number[]; left: number; width: number };

const NARROW = 3;

/** Returns what is drawn of a lane between two times on `width` pixels. Narrow neighbours become one bar. */
export function drawnBars(lane: readonly FlameBar[], from: number, to: number, width: number): DrawnBar[] {
  const scale = width / Math.max(to - from, Number.MIN_VALUE);
  const drawn: DrawnBar[] = [];
  for (const { position, start, end } of lane) {
    if (end < from || start > to) continue;
    const left = Math.max(0, (start - from) * scale);
    const right = Math.min(width, (end - from) * scale);
    const bar = { positions: [position], left: Math.min(left, width - 1), width: Math.max(1, right - left) };
    const before = drawn.at(-1);
    if (before && bar.width < NARROW && before.width < NARROW && bar.left + bar.width - before.left < NARROW) {
      before.positions.push(position);
      before.width = bar.left + bar.width - before.left;
    } else drawn.push(bar);
  }
  return drawn;
}
