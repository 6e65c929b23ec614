import { useEffect, useRef } from "react";

export const ESC = "Escape";

type Handler = (event: KeyboardEvent) => void;

/** A checkbox only handles Space. */
const TYPING = "input:not([type=checkbox]), textarea, select";

const typing = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches(TYPING));

/** Returns whether a dialog or menu is open above the page and handles the keys. Closed list boxes stay in the document. */
const covered = () =>
  [...document.querySelectorAll("[aria-modal=true], [role=menu], [role=listbox]")].some((one) => one.checkVisibility());

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
