import { Button, NativeSelect } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { SearchInput } from "@/app/_components/controls/search-input";
import { capitalized } from "@/app/_lib/format";
import { RuleSelect } from "../../findings/_components/rule-select";
import { ORIGIN_WORD, ORIGINS, OUTCOMES, STATUSES, type View } from "./view";

export function RunFilters({ view, setView }: { view: View; setView: (view: Partial<View>) => unknown }) {
  return (
    <>
      <SearchInput
        label="Conversation ID"
        width={220}
        value={view.conversation ?? ""}
        onChange={(conversation) => setView({ conversation: conversation || null })}
      />
      <NativeSelect
        aria-label="Status"
        value={view.status ?? ""}
        onChange={(event) => setView({ status: STATUSES.find((known) => known === event.currentTarget.value) ?? null })}
        data={[{ value: "", label: "Any status" }, ...STATUSES.map((value) => ({ value, label: capitalized(value) }))]}
      />
      <NativeSelect
        aria-label="Outcome"
        value={view.outcome ?? ""}
        onChange={(event) => {
          const { value } = event.currentTarget;
          return setView({ outcome: OUTCOMES.find((known) => known.value === value)?.value ?? null });
        }}
        data={[{ value: "", label: "Any outcome" }, ...OUTCOMES]}
      />
      <NativeSelect
        aria-label="Origin"
        value={view.origin ?? ""}
        onChange={(event) => setView({ origin: ORIGINS.find((known) => known === event.currentTarget.value) ?? null })}
        data={[{ value: "", label: "Any origin" }, ...ORIGINS.map((value) => ({ value, label: ORIGIN_WORD[value] }))]}
      />
      {view.backfill === null ? null : (
        <Button
          variant="light"
          rightSection={<IconX size={14} aria-hidden />}
          aria-label="Show Runs of all backfills"
          onClick={() => setView({ backfill: null })}
        >
          One backfill
        </Button>
      )}
      <RuleSelect value={view.rule} onChange={(rule) => setView({ rule })} />
    </>
  );
}
