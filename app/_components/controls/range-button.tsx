"use client";
import { Button, Divider, Popover, Stack } from "@mantine/core";
import { IconCalendar, IconChevronDown } from "@tabler/icons-react";
import { useState } from "react";

type Props<V> = {
  /** The label of the time being filtered: "Started". */
  what: string;
  /** The current choice as text. */
  label: string | undefined;
  presets: readonly { value: V; label: string }[];
  value: V;
  onPreset: (value: V) => void;
  /** Custom range fields, below the presets; call `close` when a range is chosen. */
  children: (close: () => void) => React.ReactNode;
};

/** A button that shows the chosen time range and opens presets and fields to change it. */
export function RangeButton<V>({ what, label, presets, value, onPreset, children }: Props<V>) {
  const [open, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-start" trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<IconCalendar size={14} aria-hidden />}
          rightSection={<IconChevronDown size={14} aria-hidden />}
          onClick={() => setOpen(!open)}
          aria-label={`${what}: ${label}`}
        >
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown p={8} aria-label={what}>
        <Stack gap={2} w={250}>
          {presets.map((preset) => (
            <Button
              key={preset.label}
              variant={value === preset.value ? "light" : "subtle"}
              color={value === preset.value ? "indigo" : "gray"}
              c="var(--mantine-color-text)"
              justify="flex-start"
              aria-pressed={value === preset.value}
              onClick={() => {
                onPreset(preset.value);
                close();
              }}
            >
              {preset.label}
            </Button>
          ))}
          <Divider my={6} />
          {children(close)}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
