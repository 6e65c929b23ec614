"use client";
import { Button, Divider, Group, Popover, Stack } from "@mantine/core";
import { DateTimePicker } from "@mantine/dates";
import { useMounted } from "@mantine/hooks";
import { IconCalendar, IconChevronDown } from "@tabler/icons-react";
import dayjs from "dayjs";
import { useState } from "react";
import { formatExact } from "@/app/_lib/format";
import { PRESETS, type TimeRange } from "@/app/_lib/time-range";

type Props = { value: TimeRange; onChange: (value: TimeRange) => void; what: string };

const toPicker = (ms: number | null) => (ms === null ? null : dayjs(ms).format("YYYY-MM-DD HH:mm:ss"));
const fromPicker = (text: string | null) => (text === null ? null : dayjs(text).valueOf());
const NONE = { range: null, from: null, to: null };

/** In the reader's zone once that is known; the server says UTC. */
const labelOf = ({ range, from, to }: TimeRange, zone: string | undefined) => {
  if (range === null) return "Any time";
  if (range !== "custom") return PRESETS.find((preset) => preset.value === range)?.label;
  if (from === null && to === null) return "Custom range";
  return `${from === null ? "…" : formatExact(from, zone)} – ${to === null ? "now" : formatExact(to, zone)}`;
};

/** A preset or two ends of one's own. `what` says which time is meant: "Started". */
export function TimeRangePicker({ value, onChange, what }: Props) {
  const [open, setOpen] = useState(false);
  const label = labelOf(value, useMounted() ? undefined : "UTC");
  const choose = (next: TimeRange) => {
    onChange(next);
    setOpen(false);
  };
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
          {[{ value: null, label: "Any time" }, ...PRESETS].map((preset) => (
            <Button
              key={preset.label}
              variant={value.range === preset.value ? "light" : "subtle"}
              color={value.range === preset.value ? "indigo" : "gray"}
              c="var(--mantine-color-text)"
              justify="flex-start"
              aria-pressed={value.range === preset.value}
              onClick={() => choose({ ...NONE, range: preset.value })}
            >
              {preset.label}
            </Button>
          ))}
          <Divider my={6} />
          <DateTimePicker
            size="xs"
            label="From"
            clearable
            popoverProps={{ withinPortal: false }}
            value={toPicker(value.from)}
            onChange={(text) => onChange({ range: "custom", from: fromPicker(text), to: value.to })}
          />
          <DateTimePicker
            size="xs"
            label="To (not included)"
            clearable
            popoverProps={{ withinPortal: false }}
            value={toPicker(value.to)}
            onChange={(text) => onChange({ range: "custom", from: value.from, to: fromPicker(text) })}
          />
          <Group justify="flex-end" mt={6}>
            <Button variant="default" onClick={() => setOpen(false)}>
              Done
            </Button>
          </Group>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
