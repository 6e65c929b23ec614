import { useEffect, useMemo, useState } from "react";
import { callSums, idsAbove, placeSpans, repeatsIn, spansWith, unfolded } from "./span-tree";
import type { SpanData } from "./use-trace";

export type TraceView = ReturnType<typeof useTraceView>;

const NONE: ReadonlySet<string> = new Set();

/** Holds what the tree and the flame chart of a trace share: the spans in place, what is folded, found and active. */
export function useTraceView(spans: readonly SpanData[], selectedId: string | null, find: string) {
  const placed = useMemo(() => placeSpans(spans), [spans]);
  const sums = useMemo(() => callSums(placed), [placed]);
  const positionOf = useMemo(() => new Map(placed.map(({ span }, at) => [span.spanId, at])), [placed]);
  const [folded, setFolded] = useState(NONE);
  const repeats = useMemo(() => repeatsIn(placed), [placed]);
  /** The first of those repeats that are shown one by one. */
  const [opened, setOpened] = useState(NONE);
  const closed = useMemo(
    () => new Map([...repeats].filter(([first]) => !opened.has(placed[first]!.span.spanId))),
    [repeats, opened, placed],
  );
  const rows = useMemo(() => unfolded(placed, folded, closed), [placed, folded, closed]);
  const matches = useMemo(() => spansWith(placed, find), [placed, find]);
  const found = useMemo(() => new Set(matches), [matches]);
  /** The span that the keys start from. */
  const [activeId, setActive] = useState<string | null>(null);
  /** The span that was last jumped to: a new object for each jump, which scrolls there once. */
  const [target, setTarget] = useState<{ id: string } | null>(null);

  const show = (id: string) => {
    const above = new Set(idsAbove(placed, positionOf.get(id) ?? -1));
    setFolded((before) => without(before, above));
    const first = firstOf(repeats, positionOf.get(id) ?? -1);
    if (first !== undefined) setOpened((before) => new Set(before).add(placed[first]!.span.spanId));
    setActive(id);
    setTarget({ id });
  };
  const isThere = selectedId !== null && positionOf.has(selectedId);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each selection, so that a refetch scrolls nobody back
  useEffect(() => {
    if (isThere) show(selectedId);
  }, [selectedId, isThere]);

  const at = activeId === null ? -1 : (positionOf.get(activeId) ?? -1);
  const jump = (by: 1 | -1, from = at) => {
    const next =
      by === 1
        ? (matches.find((position) => position > from) ?? matches[0])
        : (matches.findLast((position) => position < from) ?? matches.at(-1));
    if (next !== undefined) show(placed[next]!.span.spanId);
  };
  const isFirstPlaced = placed.length > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the text changes; other matches may follow as spans load
  useEffect(() => {
    if (find.trim() !== "" && !found.has(at)) jump(1);
  }, [find, isFirstPlaced]);

  return {
    placed,
    sums,
    rows,
    folded,
    found,
    matches,
    activeId,
    target,
    setActive,
    /** Which match the active span is, from 1; 0 if it is none. */
    nth: matches.indexOf(at) + 1,
    jump,
    /** How often a span is repeated, by the position of the first, and those of them that are shown as one row. */
    repeats,
    closed,
    fold: (id: string, isFolded: boolean) => {
      const isRepeat = repeats.has(positionOf.get(id) ?? -1);
      const set = isRepeat ? setOpened : setFolded;
      set((before) => (isFolded === isRepeat ? without(before, new Set([id])) : new Set(before).add(id)));
    },
    foldAll: () => {
      setFolded(new Set(placed.flatMap(({ span, children }) => (children > 0 ? [span.spanId] : []))));
      setOpened(NONE);
    },
    unfoldAll: () => {
      setFolded(NONE);
      setOpened(new Set([...repeats.keys()].map((first) => placed[first]!.span.spanId)));
    },
  };
}

/** Returns the first of the repeats that a span is among. */
const firstOf = (repeats: ReadonlyMap<number, number>, position: number): number | undefined =>
  [...repeats].find(([first, count]) => position >= first && position < first + count)?.[0];

/** Returns the same set if it has none of these. */
const without = (ids: ReadonlySet<string>, others: ReadonlySet<string>): ReadonlySet<string> => {
  const left = [...ids].filter((id) => !others.has(id));
  return left.length === ids.size ? ids : new Set(left);
};
