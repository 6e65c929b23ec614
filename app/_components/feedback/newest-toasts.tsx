"use client";
import { notifications, useNotifications } from "@mantine/notifications";
import { useEffect } from "react";

/** Closes the oldest toast when there is no room for a new one, which would otherwise appear only once another has closed. */
export function NewestToasts() {
  const { notifications: shown, queue } = useNotifications();
  const oldest = queue.length > 0 ? shown[0]?.id : undefined;
  useEffect(() => {
    if (oldest !== undefined) notifications.hide(oldest);
  }, [oldest]);
  return null;
}
