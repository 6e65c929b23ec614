import { type RefObject, useRef } from "react";
import { useKeys } from "@/app/_lib/use-keys";

type Options = {
  /** Scrolls to a row of a virtualized list. */
  scrollToIndex?: (index: number) => void;
  /** Where to start if no row has the focus: the row whose details are open. */
  activeIndex?: number;
  /** Its keys work only while the focus is in it; otherwise they go to another list on the page. */
  secondary?: boolean;
};

/** Returns whether a list handles the keys: the one with the focus, else the page's first. */
export function takesKeys(container: HTMLElement | null, secondary: boolean) {
  const focused = document.activeElement?.closest("[data-list]") ?? null;
  return focused === null ? !secondary : focused === container;
}

/** Moves the focus between rows: j and k, and from a row also the arrows, Home and End. Returns what moves it to one. */
export function useRowKeys(container: RefObject<HTMLElement | null>, count: number, options: Options = {}) {
  const { scrollToIndex, activeIndex = -1, secondary = false } = options;
  const rowAt = (index: number) => container.current?.querySelector<HTMLElement>(`[data-row="${index}"]`);
  const goTo = (index: number) => {
    if (scrollToIndex) scrollToIndex(index);
    else rowAt(index)?.scrollIntoView({ block: "nearest" });
    const focus = () => rowAt(index)?.focus({ preventScroll: true });
    // A row of a virtualized list that was out of view is rendered after scrolling to it.
    if (rowAt(index)) focus();
    else requestAnimationFrame(() => requestAnimationFrame(focus));
  };
  const move = (by: number) => {
    if (count === 0 || !takesKeys(container.current, secondary)) return;
    const focused = document.activeElement;
    const row =
      focused?.closest("[data-row]") ??
      focused?.closest("tr")?.querySelector("[data-row]") ??
      container.current?.querySelector("[data-active][data-row], [data-active] [data-row]");
    const at = row?.getAttribute("data-row") ?? (activeIndex < 0 ? null : activeIndex);
    goTo(at == null ? 0 : Math.min(count - 1, Math.max(0, Number(at) + by)));
  };
  /** Overrides the browser's keys only while a row has the focus. */
  const onRow = (act: () => void) => (event: KeyboardEvent) => {
    const focused = document.activeElement;
    if (!focused?.matches("[data-row]") || !container.current?.contains(focused)) return;
    event.preventDefault();
    act();
  };
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ArrowDown: onRow(() => move(1)),
    ArrowUp: onRow(() => move(-1)),
    Home: onRow(() => goTo(0)),
    End: onRow(() => goTo(count - 1)),
  });
  return goTo;
}

/** Returns the id of the row in `container` with the focus, if any. */
export function rowInFocus(container: HTMLElement | null): string | null {
  const row = document.activeElement?.closest("[data-row-id]");
  return row && container?.contains(row) ? row.getAttribute("data-row-id") : null;
}

/** Focuses a row of `container`, if it is in the DOM. */
export const focusRow = (container: HTMLElement | null, id: string) => {
  const row = container?.querySelector<HTMLElement>(`[data-row-id="${CSS.escape(id)}"]`);
  (row?.matches("[data-row]") ? row : row?.querySelector<HTMLElement>("[data-row]"))?.focus();
};

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
const CONTROLS = "a:not([data-opens-row]), button, input, select, label, [role=menuitem]";

/**
 * Handles a click in a row: on the row itself it toggles its details; on a control that stays on the page, the peek
 * follows.
 */
export function clickRow(event: React.MouseEvent, toggle: (() => void) | undefined, follow: (() => void) | undefined) {
  // React bubbles a click in a menu or dialog of the row, which is elsewhere in the document.
  if (!event.currentTarget.contains(event.target as Node)) return;
  if ((event.target as Element).closest(CONTROLS) === null) toggle?.();
  else if (!event.defaultPrevented) follow?.();
}
