import { useSyncExternalStore } from "react";

/** The address that the router is on its way to; `undefined` between navigations. */
let pending: string | undefined;
const listeners = new Set<() => void>();

function change(to: string | undefined) {
  pending = to;
  for (const listener of listeners) listener();
}

/** Notes that the router has begun to go to an address of this site. */
export function beginNavigation(href: string) {
  const { pathname, search } = new URL(href, window.location.href);
  const to = pathname + search;
  if (to !== window.location.pathname + window.location.search) change(to);
}

/** Notes that the page of a navigation is shown. */
export const endNavigation = () => change(undefined);

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** Returns the address that the router is on its way to. */
export const usePendingNavigation = () =>
  useSyncExternalStore(
    subscribe,
    () => pending,
    () => undefined,
  );
