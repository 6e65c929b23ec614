import type { Virtualizer } from "@tanstack/react-virtual";
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";

/** The page follows the end if it is closer to it than this. */
const END_PX = 24;

type Options = {
  virtual: Virtualizer<HTMLElement, HTMLDivElement>;
  scroller: HTMLElement | null;
  list: RefObject<HTMLElement | null>;
  count: number;
  /** Loaded messages: a new one moves the end. */
  messages: object;
};

/**
 * Follows the end of a growing conversation once the reader has scrolled there, until they scroll up. `fresh` is the number
 * of messages added since the end was last in view.
 */
export function useFollowEnd({ virtual, scroller, list, count, messages }: Options) {
  const [following, setFollowing] = useState(false);
  const [seen, setSeen] = useState(count);
  /** Where the page was last seen: rows are drawn and measured before its scrolling is announced. */
  const lastTop = useRef(0);
  const height = virtual.getTotalSize();

  useEffect(() => {
    if (!scroller) return;
    lastTop.current = scroller.scrollTop;
    const scrolled = () => {
      const top = scroller.scrollTop;
      // Rows above that turn out smaller also scroll the page up, but it stays at its end then.
      if (toEnd(scroller, list.current) < END_PX) setFollowing(top > 0);
      else if (top < lastTop.current - 1) setFollowing(false);
      lastTop.current = top;
    };
    scroller.addEventListener("scroll", scrolled, { passive: true });
    return () => scroller.removeEventListener("scroll", scrolled);
  }, [scroller, list]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: other messages and another height are another end
  useLayoutEffect(() => {
    if (!scroller || !following) return;
    const distance = toEnd(scroller, list.current);
    const isLeaving = distance >= END_PX && scroller.scrollTop < lastTop.current - 1;
    if (distance > 1 && !isLeaving) virtual.scrollBy(distance);
  }, [virtual, scroller, list, following, height, messages]);

  const isInView = following || (virtual.range?.endIndex ?? 0) >= count - 1;
  // Set while rendering, React's pattern for state derived from props.
  if (isInView && seen !== count) setSeen(count);
  return {
    following,
    fresh: Math.max(0, count - seen),
    follow: () => setFollowing(true),
    stay: () => setFollowing(false),
  };
}

/** Returns how far the end of the list is below the view; negative if it is in view. */
const toEnd = (scroller: HTMLElement, list: HTMLElement | null) =>
  list ? list.getBoundingClientRect().bottom - scroller.getBoundingClientRect().bottom : 0;
