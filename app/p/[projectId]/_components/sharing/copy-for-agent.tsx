"use client";
import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconCopy, IconRobot } from "@tabler/icons-react";
import { useState } from "react";
import { problemOf } from "@/app/_lib/problem";

const LABEL = "Copy for a coding agent";

type Props = {
  /** Reads the text, which is Markdown. */
  read: () => Promise<{ text: string }>;
  /** What it is, as in "Copied the change with its evidence". */
  what: string;
  /** As an icon, between others. */
  isIcon?: boolean;
};

/** Copies something with its evidence as Markdown, to give to a coding agent or to paste into a ticket. */
export function CopyForAgent({ read, what, isIcon = false }: Props) {
  const [isCopying, setCopying] = useState(false);
  const copy = async () => {
    setCopying(true);
    try {
      const { text } = await read();
      await navigator.clipboard.writeText(text);
      notifications.show({ message: `Copied ${what}` });
    } catch (error) {
      notifications.show({ color: "red", message: `Could not copy it: ${problemOf(error).detail}` });
    } finally {
      setCopying(false);
    }
  };
  if (isIcon) {
    return (
      <Tooltip label={LABEL}>
        <ActionIcon variant="default" size={30} aria-label={LABEL} loading={isCopying} onClick={() => void copy()}>
          <IconRobot size={16} aria-hidden />
        </ActionIcon>
      </Tooltip>
    );
  }
  return (
    <Button
      variant="default"
      loading={isCopying}
      leftSection={<IconCopy size={14} aria-hidden />}
      onClick={() => void copy()}
    >
      {LABEL}
    </Button>
  );
}
