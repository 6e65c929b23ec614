import { ActionIcon, Text } from "@mantine/core";
import { IconChevronDown, IconChevronUp } from "@tabler/icons-react";
import { SearchInput } from "@/app/_components/controls/search-input";
import { formatCount } from "@/app/_lib/format";
import classes from "./spans-tab.module.css";
import type { TraceView } from "./use-trace-view";

type Props = { view: TraceView; value: string; onChange: (text: string) => void };

/** Searches the trace: Enter goes to the next span that matches, Shift and Enter to the one before. */
export function FindInTrace({ view, value, onChange }: Props) {
  const { matches, nth, jump } = view;
  return (
    <search
      className={classes.find}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
        event.preventDefault();
        // What is still being typed is searched first.
        if (event.target.value === value) jump(event.shiftKey ? -1 : 1);
        else onChange(event.target.value);
      }}
    >
      <SearchInput label="Search spans" value={value} onChange={onChange} width={200} />
      {value.trim() === "" ? null : (
        <>
          <Text size="xs" c="dimmed" role="status" className="tabular">
            {matches.length === 0
              ? "No span matches"
              : `${nth > 0 ? formatCount(nth) : "–"} of ${formatCount(matches.length)}`}
          </Text>
          <ActionIcon aria-label="Previous match" disabled={matches.length === 0} onClick={() => jump(-1)}>
            <IconChevronUp size={14} aria-hidden />
          </ActionIcon>
          <ActionIcon aria-label="Next match" disabled={matches.length === 0} onClick={() => jump(1)}>
            <IconChevronDown size={14} aria-hidden />
          </ActionIcon>
        </>
      )}
    </search>
  );
}
