import { type RefObject, useEffect, useEffectEvent, useRef } from "react";

/** So far below what is shown (CSS pixels) more is asked for. */
const NEAR = 800;

/**
 * Calls `onEnd` when the element that the returned ref is on comes near the view of `root`, and again for each `count` of rows
 * with which it is still near.
 */
export function useEnd(root: RefObject<HTMLElement | null>, count: number, onEnd: () => void) {
  const end = useRef<HTMLDivElement>(null);
  const tell = useEffectEvent(onEnd);
  // biome-ignore lint/correctness/useExhaustiveDependencies: more rows move the end, and it may be near all the same
  useEffect(() => {
    if (!end.current) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) tell();
      },
      { root: root.current, rootMargin: `${NEAR}px` },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [root, count]);
  return end;
}
