"use client";
import { useDebouncedValue } from "@mantine/hooks";
import { usePathname, useSearchParams } from "next/navigation";
import { useEffect } from "react";
import { endNavigation, usePendingNavigation } from "@/app/_lib/pending-navigation";
import classes from "./navigation-bar.module.css";

/** Most pages load faster than this and need no indicator. */
const SHOWN_AFTER_MS = 100;

/**
 * Shows that the next page is loading while the current one stays. No page has a skeleton of its own: React would keep it for
 * at least 300 ms before showing the page, and most pages load in a third of that.
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
