import { useMounted } from "@mantine/hooks";
import { useEffect } from "react";

const nameOf = (path: string) => `whetstone:list:${path}`;

/** Remembers a list's query string (`?…`) in this tab, so that coming back restores it. */
export function useRememberList(path: string, search: string) {
  useEffect(() => sessionStorage.setItem(nameOf(path), search), [path, search]);
}

/** Returns the list's URL with the remembered query string. */
export function useListHref(path: string): string {
  const mounted = useMounted();
  return mounted ? `${path}${sessionStorage.getItem(nameOf(path)) ?? ""}` : path;
}
