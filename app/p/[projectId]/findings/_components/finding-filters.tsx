import { Button, NativeSelect } from "@mantine/core";
import { useMounted } from "@mantine/hooks";
import { IconX } from "@tabler/icons-react";
import { SearchInput } from "@/app/_components/controls/search-input";
import { TimeRangePicker } from "@/app/_components/controls/time-range-picker";
import { formatMinute } from "@/app/_lib/format";
import { SEVERITY_OPTIONS, severityNamed } from "../../_components/findings/severity-words";
import { RuleSelect } from "./rule-select";
import { MIN_SCORES, ORDERS, RESOLUTIONS, takesResolution, type View } from "./view";

type Props = { view: View; setView: (view: Partial<View>) => unknown };

export function FindingFilters({ view, setView }: Props) {
  return (
    <>
      <SearchInput label="Search titles" width={180} value={view.q ?? ""} onChange={(q) => setView({ q: q || null })} />
      <NativeSelect
        aria-label="Order"
        value={view.order}
        onChange={(event) =>
          setView({ order: ORDERS.find(({ value }) => value === event.currentTarget.value)?.value ?? "score" })
        }
        data={ORDERS.map(({ value, label }) => ({ value, label: `By ${label.toLowerCase()}` }))}
      />
      <NativeSelect
        aria-label="Severity"
        value={view.severity ?? ""}
        onChange={(event) => setView({ severity: severityNamed(event.currentTarget.value) ?? null })}
        data={[{ value: "", label: "Any severity" }, ...SEVERITY_OPTIONS]}
      />
      <RuleSelect value={view.rule} onChange={(rule) => setView({ rule })} />
      {takesResolution(view) ? (
        <NativeSelect
          aria-label="Resolution"
          value={view.resolution ?? ""}
          onChange={(event) =>
            setView({
              resolution: RESOLUTIONS.find(({ value }) => value === event.currentTarget.value)?.value ?? null,
            })
          }
          data={[{ value: "", label: "Any resolution" }, ...RESOLUTIONS.map(({ value, label }) => ({ value, label }))]}
        />
      ) : null}
      <NativeSelect
        aria-label="Minimum score"
        value={view.score === null ? "" : String(view.score)}
        onChange={(event) => setView({ score: event.currentTarget.value ? Number(event.currentTarget.value) : null })}
        data={[
          { value: "", label: "Any score" },
          ...MIN_SCORES.map((score) => ({ value: String(score), label: `Score ≥ ${score}` })),
          ...(view.score !== null && !MIN_SCORES.some((score) => score === view.score)
            ? [{ value: String(view.score), label: `Score ≥ ${view.score}` }]
            : []),
        ]}
      />
      <NativeSelect
        aria-label="Assignee"
        value={view.assignee ?? ""}
        onChange={(event) => {
          const { value } = event.currentTarget;
          setView({ assignee: value === "me" || value === "none" ? value : null });
        }}
        data={[
          { value: "", label: "Any assignee" },
          { value: "me", label: "Assigned to me" },
          { value: "none", label: "Unassigned" },
        ]}
      />
      <TimeRangePicker what="Last seen" value={view} onChange={(range) => setView(range)} />
      <EventFilter view={view} setView={setView} />
    </>
  );
}

const EVENTS: Record<NonNullable<View["event"]>, string> = {
  created: "New",
  returned: "Back from dismissal",
  regressed: "Regressed",
  escalating: "Escalating",
};

/** Shown while a link from another page narrows the list to what happened since a time. */
function EventFilter({ view: { event, since }, setView }: Props) {
  const zone = useMounted() ? undefined : "UTC";
  if (event === null && since === null) return null;
  const label = `${event === null ? "Changed" : EVENTS[event]}${since === null ? "" : ` since ${formatMinute(since, zone)}`}`;
  return (
    <Button
      variant="default"
      rightSection={<IconX size={14} aria-hidden />}
      aria-label={`Remove the filter “${label}”`}
      onClick={() => setView({ event: null, since: null })}
    >
      {label}
    </Button>
  );
}
