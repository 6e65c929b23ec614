import { SegmentedControl, Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import { FindingSelect } from "@/app/p/[projectId]/_components/findings/finding-select";
import { CHART_MEASURES, CHART_STEPS, type ChartStep } from "@/server/services/charts/schemas";
import { useMay } from "../../_components/access/membership";
import { DayRangePicker } from "../../costs/_components/day-range-picker";
import { GROUP_WORDS, groupsOf, MEASURE_WORDS, STEP_WORDS, stepOf, stepsOf, subjectOf, type View } from "./view";

type Props = { projectId: string; view: View; setView: (view: Partial<View>) => unknown; now: number };

/** What is measured, by what, in which steps, when. */
export function ChartControls({ projectId, view, setView, now }: Props) {
  const mayReadCosts = useMay("model-pricing:read");
  const mayReadFindings = useMay("diagnostics:read");
  const measures = CHART_MEASURES.filter(
    (measure) => (measure !== "cost" || mayReadCosts) && (subjectOf(measure) === null || mayReadFindings),
  );
  const subject = subjectOf(view.measure);
  const groups = groupsOf(view);
  const steps = stepsOf(view, now);
  return (
    <>
      <Select
        aria-label="Measure"
        size="xs"
        w={200}
        allowDeselect={false}
        maxDropdownHeight={420}
        data={measures.map((value) => ({ value, label: MEASURE_WORDS[value] }))}
        value={view.measure}
        onChange={(value) => {
          const measure = CHART_MEASURES.find((one) => one === value);
          if (!measure) return;
          const of = subjectOf(measure) === subject ? view.of : null;
          const by = view.by !== null && groupsOf({ measure, of }).includes(view.by) ? view.by : null;
          void setView({ measure, of, by });
        }}
      />
      {subject === "finding" ? (
        <FindingSelect
          projectId={projectId}
          aria-label="Finding"
          placeholder={view.measure === "occurrences" ? "All Findings" : "Choose a Finding"}
          size="xs"
          w={260}
          clearable={view.measure === "occurrences"}
          allowDeselect={false}
          value={view.of}
          onChange={(of) => void setView({ of, by: null })}
        />
      ) : null}
      {subject === "signal" ? <SignalSelect projectId={projectId} view={view} setView={setView} /> : null}
      <Select
        aria-label="Group by"
        placeholder="No groups"
        size="xs"
        w={150}
        clearable
        data={groups.map((value) => ({ value, label: `By ${GROUP_WORDS[value].one.toLowerCase()}` }))}
        value={view.by !== null && groups.includes(view.by) ? view.by : null}
        onChange={(value) => void setView({ by: groups.find((group) => group === value) ?? null })}
      />
      <SegmentedControl<ChartStep>
        aria-label="One point per"
        data={CHART_STEPS.map((value) => ({ value, label: STEP_WORDS[value], disabled: !steps.includes(value) }))}
        value={stepOf(view, now)}
        onChange={(step) => void setView({ step })}
      />
      <DayRangePicker what="Days (UTC)" value={view} now={now} onChange={(range) => void setView(range)} />
    </>
  );
}

type SubjectProps = Pick<Props, "projectId" | "view" | "setView">;

function SignalSelect({ projectId, view, setView }: SubjectProps) {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.rules.list.queryOptions({ projectId }));
  const rules = data?.rules ?? [];
  // Keywords are a Signal of every Rule.
  const ofOneRule = (name: string) =>
    rules.filter(({ signals }) => signals.some((one) => one.name === name)).length === 1;
  return (
    <Select
      aria-label="Signal"
      placeholder="Choose a Signal"
      size="xs"
      w={220}
      searchable
      allowDeselect={false}
      data={rules
        .map(({ name: group, signals }) => ({
          group,
          items: signals.map(({ name }) => name).filter(ofOneRule),
        }))
        .filter(({ items }) => items.length > 0)}
      value={view.of}
      onChange={(of) => void setView({ of })}
    />
  );
}
