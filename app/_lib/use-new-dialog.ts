import { parseAsBoolean, useQueryState } from "nuqs";

/** Returns whether a page's dialog for something new is open (`?new=true` in the URL), and functions to open and close it. */
export function useNewDialog() {
  const [opened, setOpened] = useQueryState("new", parseAsBoolean.withDefault(false));
  return [opened, { open: () => void setOpened(true), close: () => void setOpened(null) }] as const;
}
