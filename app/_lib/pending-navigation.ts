import { useSyncExternalStore } from "react";

/** The URL that the router is navigating to; `undefined` between navigations. */
let pending: string | undefined;
const listeners = new Set<() => void>();

function change(to: string | undefined) {
  pending = to;
  for (const listener of listeners) listener();
}

/** Records that the router has started navigating to a URL of this site. */
export function beginNavigation(href: string) {
  const { pathname, search } = new URL(href, window.location.href);
  const to = pathname + search;
  if (to !== window.location.pathname + window.location.search) change(to);
}

/** Records that the page of the pending navigation is shown. */
export const endNavigation = () => change(undefined);

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** Returns the URL that the router is navigating to. */
export const usePendingNavigation = () =>
  useSyncExternalStore(
    subscribe,
    () => pending,
    () => undefined,
  );
