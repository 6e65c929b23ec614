import { useOs } from "@mantine/hooks";

/** Returns the modifier key of shortcuts on the reader's machine. The server does not know it: the first paint has `Ctrl`. */
export function useModKey(): "⌘" | "Ctrl" {
  const os = useOs();
  return os === "macos" || os === "ios" ? "⌘" : "Ctrl";
}
