"use client";
import { ActionIcon, Button, CopyButton as MantineCopyButton, Tooltip } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";

type Props = { value: string; label: string; withText?: boolean };

/** `label` names what is copied: "Copy id". */
export function CopyButton({ value, label, withText = false }: Props) {
  return (
    <MantineCopyButton value={value} timeout={2000}>
      {({ copied, copy }) =>
        withText ? (
          <Button
            variant="default"
            onClick={copy}
            leftSection={copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
          >
            <span aria-live="polite">{copied ? "Copied" : label}</span>
          </Button>
        ) : (
          <Tooltip label={copied ? "Copied" : label}>
            <ActionIcon size="sm" onClick={copy} aria-label={copied ? "Copied" : label}>
              {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
            </ActionIcon>
          </Tooltip>
        )
      }
    </MantineCopyButton>
  );
}
