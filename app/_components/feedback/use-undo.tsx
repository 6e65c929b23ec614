"use client";
import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useRef } from "react";
import { ACTION_TOAST_MS } from "@/app/_components/feedback/toast";

/** Shows a toast and offers undo for ten seconds: by its button, or by `undo` for a key. */
export function useUndo() {
  const last = useRef<{ toast: string; until: number; inverse: () => void } | null>(null);
  const undo = () => {
    const pending = last.current;
    last.current = null;
    if (!pending || pending.until < Date.now()) return;
    notifications.hide(pending.toast);
    pending.inverse();
  };
  const offer = (said: React.ReactNode, inverse: () => void) => {
    const toast = notifications.show({
      autoClose: ACTION_TOAST_MS,
      message: (
        <Group justify="space-between" wrap="nowrap">
          <Text size="sm">{said}</Text>
          <Button variant="default" size="compact-xs" style={{ flexShrink: 0 }} onClick={undo}>
            Undo
          </Button>
        </Group>
      ),
    });
    last.current = { toast, until: Date.now() + ACTION_TOAST_MS, inverse };
  };
  return { offer, undo };
}
