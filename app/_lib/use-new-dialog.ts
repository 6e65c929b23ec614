import { parseAsBoolean, useQueryState } from "nuqs";

/** Returns whether a page's dialog for something new is open, which its address says (`?new=true`), and what opens and closes it. */
export function useNewDialog() {
  const [opened, setOpened] = useQueryState("new", parseAsBoolean.withDefault(false));
  return [opened, { open: () => void setOpened(true), close: () => void setOpened(null) }] as const;
}
