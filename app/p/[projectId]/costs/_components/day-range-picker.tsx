"use client";
import { Text } from "@mantine/core";
import { DatePicker } from "@mantine/dates";
import { useState } from "react";
import { RangeButton } from "@/app/_components/controls/range-button";
import { formatDay } from "@/app/_lib/format";
import {
  DAY_PRESETS,
  type DayRange,
  type DayRangeValue,
  daysOf,
  isoDay,
  rangeOfDays,
} from "@/app/p/[projectId]/costs/_components/day-range";

type Props = { value: DayRange; onChange: (value: DayRange) => void; what: string; now: number };
type Ends = [string | null, string | null];

const CALENDAR_LABELS = {
  previousMonth: "Previous month",
  nextMonth: "Next month",
  previousYear: "Previous year",
  nextYear: "Next year",
  previousDecade: "Previous decade",
  nextDecade: "Next decade",
};
const words = (first: number, last: number, now: number) =>
  isoDay(first) === isoDay(last) ? formatDay(last, now) : `${formatDay(first, last)} – ${formatDay(last, now)}`;

/** Whole UTC days; a preset ends today. The days match those of the numbers, whatever the reader's time zone. */
export function DayRangePicker({ value, onChange, what, now }: Props) {
  const { from, to } = daysOf(value, now);
  const [begun, setBegun] = useState<Ends | null>(null);
  const preset = DAY_PRESETS.find((candidate) => candidate.value === value.range);
  return (
    <RangeButton<DayRangeValue>
      what={what}
      label={preset?.label ?? words(from, to - 1, now)}
      presets={DAY_PRESETS}
      value={value.range}
      onPreset={(range) => onChange({ range, from: null, to: null })}
    >
      {(close) => (
        <>
          <DatePicker
            type="range"
            size="xs"
            allowSingleDateInRange
            hideOutsideDates
            ariaLabels={CALENDAR_LABELS}
            defaultDate={isoDay(to - 1)}
            maxDate={isoDay(now)}
            value={begun ?? [isoDay(from), isoDay(to - 1)]}
            onChange={(ends: Ends) => {
              const [first, last] = ends;
              setBegun(first && last ? null : ends);
              if (!first || !last) return;
              onChange(rangeOfDays(first, last));
              close();
            }}
          />
          <Text size="xs" c="dimmed" mt={4}>
            First and last day, both included. Days start at 00:00 UTC.
          </Text>
        </>
      )}
    </RangeButton>
  );
}
