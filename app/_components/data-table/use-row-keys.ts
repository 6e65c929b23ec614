import type { RefObject } from "react";
import { useKeys } from "@/app/_lib/use-keys";

/**
 * j and k move the focus from row to row; a row out of sight is scrolled to first. `scrollToIndex` does so in a list that
 * has only the rows in sight.
 */
export function useRowKeys(
  container: RefObject<HTMLElement | null>,
  count: number,
  scrollToIndex?: (index: number) => void,
) {
  const rowAt = (index: number) => container.current?.querySelector<HTMLElement>(`[data-row="${index}"]`);
  const move = (by: number) => {
    if (count === 0) return;
    const focused = document.activeElement;
    const row = focused?.closest("[data-row]") ?? focused?.closest("tr")?.querySelector("[data-row]");
    const at = row?.getAttribute("data-row");
    const next = at == null ? 0 : Math.min(count - 1, Math.max(0, Number(at) + by));
    if (scrollToIndex) scrollToIndex(next);
    else rowAt(next)?.scrollIntoView({ block: "nearest" });
    requestAnimationFrame(() => requestAnimationFrame(() => rowAt(next)?.focus({ preventScroll: true })));
  };
  useKeys({ j: () => move(1), k: () => move(-1) });
}
