"use client";
import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { IconArrowsDiagonal, IconX } from "@tabler/icons-react";
import Link from "next/link";
import classes from "./peek-panel.module.css";

type Props = {
  label: string;
  title: React.ReactNode;
  openHref?: string;
  onClose: () => void;
  children: React.ReactNode;
};

/**
 * A row's details next to its table (above it on a phone). The table keeps the keyboard focus: j, k and Space still
 * work.
 */
export function PeekPanel({ label, title, openHref, onClose, children }: Props) {
  return (
    <aside className={classes.root} aria-label={label}>
      <div className={classes.head}>
        <h2 className={classes.title}>{title}</h2>
        {openHref ? (
          <Button
            component={Link}
            href={openHref}
            variant="default"
            leftSection={<IconArrowsDiagonal size={14} aria-hidden />}
          >
            Open
          </Button>
        ) : null}
        <Tooltip label="Close (esc)">
          <ActionIcon aria-label="Close" onClick={onClose}>
            <IconX size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard */}
      <section className={classes.body} tabIndex={0} aria-label={`${label}, scrollable`}>
        {children}
      </section>
    </aside>
  );
}
