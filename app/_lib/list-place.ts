import { useMounted } from "@mantine/hooks";
import { useEffect } from "react";

const nameOf = (path: string) => `whetstone:list:${path}`;

/** Remembers in this tab how a list was last looked at (`?…`), so that coming back finds it so. */
export function useRememberList(path: string, search: string) {
  useEffect(() => sessionStorage.setItem(nameOf(path), search), [path, search]);
}

/** The list as it was left. */
export function useListHref(path: string): string {
  const mounted = useMounted();
  return mounted ? `${path}${sessionStorage.getItem(nameOf(path)) ?? ""}` : path;
}
