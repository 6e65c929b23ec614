import { NativeSelect } from "@mantine/core";
import { SearchInput } from "@/app/_components/controls/search-input";
import { TimeRangePicker } from "@/app/_components/controls/time-range-picker";
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
    </>
  );
}
