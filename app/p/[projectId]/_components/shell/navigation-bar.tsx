"use client";
import { useDebouncedValue } from "@mantine/hooks";
import { usePathname, useSearchParams } from "next/navigation";
import { useEffect } from "react";
import { endNavigation, usePendingNavigation } from "@/app/_lib/pending-navigation";
import classes from "./navigation-bar.module.css";

/** Most pages are there sooner, and need no sign that they are on their way. */
const SHOWN_AFTER_MS = 100;

/**
 * Shows that the next page is on its way while the last one stays. No page has a skeleton of its own: React would show what
 * follows it 300 ms later at the earliest, and most pages are there in a third of that.
 */
export function NavigationBar() {
  const pathname = usePathname();
  const search = useSearchParams();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new address is what ends a navigation
  useEffect(endNavigation, [pathname, search]);
  const pending = usePendingNavigation();
  const [late] = useDebouncedValue(pending, SHOWN_AFTER_MS);
  if (pending === undefined || late === undefined) return null;
  return <div role="progressbar" aria-label="Loading page" className={classes.bar} />;
}
