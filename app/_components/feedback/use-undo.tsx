"use client";
import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useRef } from "react";
import { TIME_TO_PRESS_MS } from "@/app/_components/feedback/toast";

/** Shows a toast and offers undo for ten seconds: by its button, or by `takeBack` for a key. */
export function useUndo() {
  const last = useRef<{ toast: string; until: number; inverse: () => void } | null>(null);
  const takeBack = () => {
    const kept = last.current;
    last.current = null;
    if (!kept || kept.until < Date.now()) return;
    notifications.hide(kept.toast);
    kept.inverse();
  };
  const offer = (said: React.ReactNode, inverse: () => void) => {
    const toast = notifications.show({
      autoClose: TIME_TO_PRESS_MS,
      message: (
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm">{said}</Text>
          <Button variant="default" size="compact-xs" style={{ flexShrink: 0 }} onClick={takeBack}>
            Undo
          </Button>
        </Group>
      ),
    });
    last.current = { toast, until: Date.now() + TIME_TO_PRESS_MS, inverse };
  };
  return { offer, takeBack };
}
