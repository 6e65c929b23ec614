import { Kbd, type KbdProps } from "@mantine/core";
import { useModKey } from "@/app/_lib/mod-key";

/** A shortcut with the modifier of the reader's machine: `⌘K`, or `Ctrl K`. */
export function ModShortcut({ of, ...props }: KbdProps & { of: string }) {
  const mod = useModKey();
  return (
    <Kbd size="xs" aria-hidden {...props}>
      {mod === "⌘" ? `⌘${of}` : `Ctrl ${of}`}
    </Kbd>
  );
}
