import { useMounted } from "@mantine/hooks";
import { useEffect } from "react";

const nameOf = (path: string) => `whetstone:list:${path}`;

/** Remembers how a list was last looked at in this tab, so that coming back finds it so. */
export function useRememberList(path: string, view: unknown) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address changes with the view
  useEffect(() => {
    sessionStorage.setItem(nameOf(path), window.location.search);
  }, [path, view]);
}

/** The list as it was left. */
export function useListHref(path: string): string {
  const mounted = useMounted();
  return mounted ? `${path}${sessionStorage.getItem(nameOf(path)) ?? ""}` : path;
}
