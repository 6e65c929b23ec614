import type { Virtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";

const HASH = /^#m-(\d+)$/;

type Options = {
  virtual: Virtualizer<HTMLElement, HTMLDivElement>;
  scroller: HTMLElement | null;
  count: number;
  messages: ReadonlyMap<number, unknown>;
  /** A message to show, regardless of the URL. */
  wanted: { index: number } | null;
  onTarget: () => void;
};

/**
 * Returns the index of the message that the URL's hash points to or that is wanted, whichever was set last, and scrolls there.
 * It scrolls only once, so that a reader who has moved on is not taken back when the conversation grows. If the message has
 * not arrived yet, it waits for it.
 */
export function useTarget({ virtual, scroller, count, messages, wanted, onTarget }: Options) {
  const [target, setTarget] = useState<{ index: number } | null>(null);
  const reached = useRef<object | null>(null);
  // Showing a tab again reruns its effects, which must not take the reader back.
  const isRead = useRef(false);
  const taken = useRef<object | null>(null);
  useEffect(() => {
    const read = () => {
      const index = HASH.exec(window.location.hash)?.[1];
      setTarget(index === undefined ? null : { index: Number(index) });
    };
    if (!isRead.current) read();
    isRead.current = true;
    window.addEventListener("hashchange", read);
    return () => window.removeEventListener("hashchange", read);
  }, []);

  useEffect(() => {
    if (wanted === taken.current) return;
    taken.current = wanted;
    if (wanted) setTarget(wanted);
  }, [wanted]);

  const exists = target !== null && target.index < count;
  const isLoaded = target !== null && messages.has(target.index);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `onTarget` is not what this reacts to
  useEffect(() => {
    if (!scroller || !target || !exists || reached.current === target) return;
    onTarget();
    virtual.scrollToIndex(target.index, { align: "center" });
    // Once loaded, its height differs from the estimate.
    if (isLoaded) reached.current = target;
  }, [virtual, scroller, target, exists, isLoaded]);
  return target?.index ?? null;
}
