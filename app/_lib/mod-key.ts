import { useOs } from "@mantine/hooks";

/** The key of shortcuts on the reader's machine. The server does not know it, so the first paint says `Ctrl`. */
export function useModKey(): "⌘" | "Ctrl" {
  const os = useOs();
  return os === "macos" || os === "ios" ? "⌘" : "Ctrl";
}
