"use client";
import { Button, NativeSelect } from "@mantine/core";
import { IconFilterOff, IconX } from "@tabler/icons-react";
import { SearchInput } from "@/app/_components/controls/search-input";
import { TimeRangePicker } from "@/app/_components/controls/time-range-picker";
import { isFiltered, NO_FILTERS, subjectsWith, type View } from "./view";

type Props = {
  view: View;
  setView: (view: Partial<View>) => unknown;
  /** The name of the person or key in the filter, once a row contains it. */
  actorName: string | null;
};

export function AuditFilters({ view, setView, actorName }: Props) {
  return (
    <>
      <SearchInput
        label="ID of the changed object"
        width={200}
        value={view.target ?? ""}
        onChange={(target) => setView({ target: target || null })}
      />
      <NativeSelect
        aria-label="About"
        value={view.action ?? ""}
        onChange={(event) => setView({ action: event.currentTarget.value || null })}
        data={subjectsWith(view.action)}
      />
      <TimeRangePicker what="When" value={view} onChange={setView} />
      {view.actor === null ? null : (
        <Button
          variant="light"
          maw={260}
          rightSection={<IconX size={14} aria-hidden />}
          aria-label={`By ${actorName ?? view.actor}: show everyone's`}
          onClick={() => setView({ actor: null })}
        >
          <span className="clip">By {actorName ?? view.actor}</span>
        </Button>
      )}
      {isFiltered(view) ? (
        <Button
          variant="subtle"
          leftSection={<IconFilterOff size={14} aria-hidden />}
          onClick={() => setView(NO_FILTERS)}
        >
          Clear filters
        </Button>
      ) : null}
    </>
  );
}
