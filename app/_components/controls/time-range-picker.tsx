"use client";
import { Button, Group } from "@mantine/core";
import { DateTimePicker } from "@mantine/dates";
import { useMounted } from "@mantine/hooks";
import dayjs from "dayjs";
import { formatExact } from "@/app/_lib/format";
import { PRESETS, type RangeValue, type TimeRange } from "@/app/_lib/time-range";
import { RangeButton } from "./range-button";

type Props = { value: TimeRange; onChange: (value: TimeRange) => void; what: string };

const toPicker = (ms: number | null) => (ms === null ? null : dayjs(ms).format("YYYY-MM-DD HH:mm:ss"));
const fromPicker = (text: string | null) => (text === null ? null : dayjs(text).valueOf());
const CHOICES: { value: RangeValue | null; label: string }[] = [{ value: null, label: "Any time" }, ...PRESETS];

/** In the reader's time zone once known; UTC on the server. */
const labelOf = ({ range, from, to }: TimeRange, zone: string | undefined) => {
  if (range === null) return "Any time";
  if (range !== "custom") return PRESETS.find((preset) => preset.value === range)?.label;
  if (from === null && to === null) return "Custom range";
  return `${from === null ? "…" : formatExact(from, zone)} – ${to === null ? "now" : formatExact(to, zone)}`;
};

/** A preset or a custom range. `what` labels the time: "Started". */
export function TimeRangePicker({ value, onChange, what }: Props) {
  const label = labelOf(value, useMounted() ? undefined : "UTC");
  return (
    <RangeButton
      what={what}
      label={label}
      presets={CHOICES}
      value={value.range}
      onPreset={(range) => onChange({ range, from: null, to: null })}
    >
      {(close) => (
        <>
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
            <Button variant="default" onClick={close}>
              Done
            </Button>
          </Group>
        </>
      )}
    </RangeButton>
  );
}
