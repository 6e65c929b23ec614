import { NativeSelect } from "@mantine/core";
import { TimeRangePicker } from "@/app/_components/controls/time-range-picker";
import { RuleSelect } from "./rule-select";
import { MIN_SCORES, RESOLUTIONS, SEVERITIES, takesResolution, type View } from "./view";

type Props = { view: View; setView: (view: Partial<View>) => unknown };

const word = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

export function FindingFilters({ view, setView }: Props) {
  return (
    <>
      <NativeSelect
        aria-label="Severity"
        value={view.severity ?? ""}
        onChange={(event) =>
          setView({ severity: SEVERITIES.find((known) => known === event.currentTarget.value) ?? null })
        }
        data={[{ value: "", label: "Any severity" }, ...SEVERITIES.map((value) => ({ value, label: word(value) }))]}
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
        aria-label="Least score"
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
      <TimeRangePicker what="Last seen" value={view} onChange={(range) => setView(range)} />
    </>
  );
}
