import type { Virtualizer } from "@tanstack/react-virtual";
import { type RefObject, useLayoutEffect, useRef } from "react";
import type { PlacedMessage } from "@/server/services/telemetry/schemas";
import { indexNow } from "./held-place";

type Options = {
  virtual: Virtualizer<HTMLElement, HTMLDivElement>;
  list: RefObject<HTMLElement | null>;
  messages: ReadonlyMap<number, PlacedMessage>;
};

/**
 * Keeps the first message in view in place when others are added or removed before it: a span that arrives late may belong
 * anywhere. (Growth at the end moves nothing, and the virtualizer compensates for messages above whose height changes.)
 */
export function useHeldPlace({ virtual, list, messages }: Options) {
  const held = useRef<PlacedMessage | null>(null);
  useLayoutEffect(() => {
    const before = held.current;
    const index = before && indexNow(before, messages);
    if (before && index !== null && index !== before.index) {
      // Rows are still where they were measured, so this is where the reader saw it.
      const inView = startOf(virtual, before.index) - (virtual.scrollOffset ?? 0);
      measureRows(virtual, list.current);
      virtual.scrollToOffset(startOf(virtual, index) - inView);
      held.current = messages.get(index) ?? null;
    } else {
      held.current = firstInView(virtual, messages);
    }
  });
}

/** Measures the rows in the DOM, which now show other messages, without scrolling the page for any of them. */
function measureRows(virtual: Options["virtual"], list: HTMLElement | null) {
  const compensate = virtual.shouldAdjustScrollPositionOnItemSizeChange;
  virtual.shouldAdjustScrollPositionOnItemSizeChange = () => false;
  for (const row of list?.querySelectorAll<HTMLElement>("[data-index]") ?? [])
    virtual.resizeItem(Number(row.dataset.index), row.getBoundingClientRect().height);
  virtual.shouldAdjustScrollPositionOnItemSizeChange = compensate;
}

function startOf(virtual: Options["virtual"], index: number) {
  // Lays the rows out by their latest sizes.
  virtual.getTotalSize();
  return virtual.measurementsCache[index]?.start ?? 0;
}

function firstInView({ range }: Options["virtual"], messages: Options["messages"]) {
  for (let index = range?.startIndex ?? 0; range && index <= range.endIndex; index++) {
    const message = messages.get(index);
    if (message) return message;
  }
  return null;
}
