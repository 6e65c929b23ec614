"use client";
import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { ACTION_TOAST_MS } from "@/app/_components/feedback/toast";

type Pending = { toast: string; until: number; inverse: () => void };

/** The latest undoable change, whichever part of the page made it: the key undoes it once, and never an older one. */
let latest: Pending | null = null;

function run(pending: Pending | null) {
  if (latest === pending) latest = null;
  if (pending === null || pending.until < Date.now()) return;
  pending.until = 0;
  notifications.hide(pending.toast);
  pending.inverse();
}

/** Undoes the latest change, if it is not too late. */
const undo = () => run(latest);

/** Shows a toast with a button that undoes this change. */
function offer(said: React.ReactNode, inverse: () => void) {
  const pending: Pending = { toast: "", until: Date.now() + ACTION_TOAST_MS, inverse };
  pending.toast = notifications.show({
    autoClose: ACTION_TOAST_MS,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{said}</Text>
        <Button variant="default" size="compact-xs" style={{ flexShrink: 0 }} onClick={() => run(pending)}>
          Undo
        </Button>
      </Group>
    ),
  });
  latest = pending;
}

/** Shows a toast and offers undo for ten seconds: by its button, or by `undo` for a key. */
export const useUndo = () => ({ offer, undo });
