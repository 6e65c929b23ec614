import { useEffect, useRef } from "react";

export const ESC = "Escape";

type Handler = (event: KeyboardEvent) => void;

const typing = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Returns whether a dialog or menu is open above the page and takes the keys. */
const covered = () => document.querySelector("[aria-modal=true], [role=menu], [role=listbox]") !== null;

/** Handles single keys by `event.key`, never with a browser modifier, while typing or in an open dialog. */
export function useKeys(keys: Record<string, Handler>, { capture = false } = {}) {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (typing(event.target) || covered()) return;
      latest.current[event.key]?.(event);
    };
    window.addEventListener("keydown", onKeyDown, capture);
    return () => window.removeEventListener("keydown", onKeyDown, capture);
  }, [capture]);
}
