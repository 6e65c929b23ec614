import { type RefObject, useRef } from "react";
import { useKeys } from "@/app/_lib/use-keys";

type Options = {
  /** Scrolls to a row of a virtualized list. */
  scrollToIndex?: (index: number) => void;
  /** Where to start if no row has the focus: the row whose details are open. */
  activeIndex?: number;
};

/** Moves the focus between rows with j and k, scrolling to a row out of view first. */
export function useRowKeys(
  container: RefObject<HTMLElement | null>,
  count: number,
  { scrollToIndex, activeIndex = -1 }: Options = {},
) {
  const rowAt = (index: number) => container.current?.querySelector<HTMLElement>(`[data-row="${index}"]`);
  const move = (by: number) => {
    if (count === 0) return;
    const focused = document.activeElement;
    const row =
      focused?.closest("[data-row]") ??
      focused?.closest("tr")?.querySelector("[data-row]") ??
      container.current?.querySelector("[data-active][data-row], [data-active] [data-row]");
    const at = row?.getAttribute("data-row") ?? (activeIndex < 0 ? null : activeIndex);
    const next = at == null ? 0 : Math.min(count - 1, Math.max(0, Number(at) + by));
    if (scrollToIndex) scrollToIndex(next);
    else rowAt(next)?.scrollIntoView({ block: "nearest" });
    requestAnimationFrame(() => requestAnimationFrame(() => rowAt(next)?.focus({ preventScroll: true })));
  };
  useKeys({ j: () => move(1), k: () => move(-1) });
}

/** Returns the id of the focused row, if any. */
export const rowInFocus = (): string | null =>
  document.activeElement?.closest("[data-row-id]")?.getAttribute("data-row-id") ?? null;

/** Focuses a row, if it is on the page. */
export const focusRow = (id: string) =>
  document.querySelector<HTMLElement>(`[data-row-id="${CSS.escape(id)}"] [data-row]`)?.focus();

/**
 * Makes an open peek follow the focus, so that keys act on the row being shown. Mouse presses are left to the click
 * handler, which may open the row's page or close the peek.
 */
export function useFollowFocus() {
  const pressing = useRef(false);
  return (follow: (() => void) | undefined) => ({
    onMouseDown: () => {
      pressing.current = true;
      // The browser moves the focus before any timer fires.
      setTimeout(() => {
        pressing.current = false;
      });
    },
    onFocus: () => {
      if (!pressing.current) follow?.();
    },
  });
}

/** Elements in a row with their own click behaviour. */
const CONTROLS = "a:not([data-opens-row]), button, input, select";

/**
 * Handles a click in a row: on the row itself it toggles its details; on a control that stays on the page, the peek
 * follows.
 */
export function clickRow(event: React.MouseEvent, toggle: () => void, follow: (() => void) | undefined) {
  if ((event.target as Element).closest(CONTROLS) === null) toggle();
  else if (!event.defaultPrevented) follow?.();
}
