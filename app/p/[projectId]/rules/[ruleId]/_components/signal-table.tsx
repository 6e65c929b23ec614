import { Button, NativeSelect, Switch, Text } from "@mantine/core";
import Link from "next/link";
import { DataList } from "@/app/_components/data-table/data-list";
import type { ListColumn, ListQuery } from "@/app/_components/data-table/types";
import { InlineCode } from "@/app/_components/values/inline-code";
import { capitalized } from "@/app/_lib/format";
import { Quality } from "../../_components/quality";
import { Judged } from "../../_components/rules";
import type { Rule } from "../../_components/use-toggle-rule";
import { type Draft, withOverride } from "./draft";

const SEVERITIES = ["critical", "high", "medium", "low", "info"] as const;

type Signal = Rule["signals"][number];
type Props = {
  projectId: string;
  list: ListQuery;
  rule: Rule;
  draft: Draft;
  disabled: boolean;
  onChange: (draft: Draft) => void;
};

/** Returns whether a Signal is on in the draft, and what it lacks. If an override was removed, its default is only inferred. */
function stateOf({ rule, draft }: Props, signal: Signal) {
  const saved = rule.configuration.signalOverrides[signal.name] ?? {};
  const isOn = signal.enabled || signal.needs !== null;
  const enabled = draft.signalOverrides[signal.name]?.enabled ?? (saved.enabled === undefined ? isOn : !saved.enabled);
  return { enabled, needs: enabled ? neededWith(draft, signal) : null };
}

const columnsOf = (props: Props): ListColumn<Signal>[] => [
  {
    id: "on",
    header: "On",
    meta: { width: "4rem" },
    cell: ({ row: { original } }) => {
      const { enabled, needs } = stateOf(props, original);
      return (
        <Switch
          size="xs"
          aria-label={needs ? `${original.name} needs an adjudicator` : `${original.name} is on`}
          checked={enabled && needs === null}
          disabled={props.disabled || needs !== null}
          onChange={({ currentTarget: { checked } }) =>
            props.onChange(withOverride(props.draft, original.name, { enabled: checked }))
          }
        />
      );
    },
  },
  {
    id: "signal",
    header: "Signal",
    accessorFn: ({ name }) => name,
    meta: { link: true },
    cell: ({ row: { original } }) => {
      const { needs } = stateOf(props, original);
      return (
        <>
          <Text size="sm" className="mono">
            {original.name}
          </Text>
          <Text size="xs" c="dimmed">
            <InlineCode text={original.looksFor} />
          </Text>
          {needs ? <Needs what={needs} projectId={props.projectId} /> : null}
        </>
      );
    },
  },
  {
    id: "severity",
    header: "Severity",
    meta: { width: "8rem" },
    cell: ({ row: { original } }) => (
      <NativeSelect
        size="xs"
        w={100}
        aria-label={`Severity of ${original.name}`}
        value={props.draft.signalOverrides[original.name]?.severity ?? original.severity}
        disabled={props.disabled}
        data={SEVERITIES.map((value) => ({ value, label: capitalized(value) }))}
        onChange={({ currentTarget: { value } }) => {
          const severity = SEVERITIES.find((known) => known === value);
          props.onChange(withOverride(props.draft, original.name, { severity }));
        }}
      />
    ),
  },
  {
    id: "measured",
    header: "Confidence",
    meta: { width: "14rem", roomy: true },
    cell: ({ row }) => <Quality signal={row.original} />,
  },
  {
    id: "judged",
    header: "Reviewed here",
    meta: { width: "11rem", roomy: true },
    cell: ({ row }) => <Judged signals={[row.original]} />,
  },
  {
    id: "reset",
    header: "",
    meta: { controls: true, label: "Reset" },
    cell: ({ row: { original } }) =>
      props.draft.signalOverrides[original.name] && !props.disabled ? (
        <Button
          variant="subtle"
          size="compact-xs"
          aria-label={`Reset ${original.name} to its default`}
          onClick={() =>
            props.onChange(withOverride(props.draft, original.name, { enabled: undefined, severity: undefined }))
          }
        >
          Reset
        </Button>
      ) : null,
  },
];

/** A Rule's Signals: what each looks for, its measured quality, whether it is on, and with which severity. */
export const SignalTable = (props: Props) => (
  <DataList
    embedded
    list={props.list}
    name="Signals"
    what="Signal"
    columns={columnsOf(props)}
    rows={props.rule.signals}
    rowId={({ name }) => name}
    rowName={({ name }) => name}
    minWidth={760}
    empty={null}
  />
);

/** Returns what the Signal would still lack if the draft were saved. */
const neededWith = ({ adjudicationMode }: Draft, { needs }: Signal) =>
  needs === "mode" && adjudicationMode === "auto" ? null : needs;

const Needs = ({ what, projectId }: { what: NonNullable<Signal["needs"]>; projectId: string }) => (
  <Text size="xs" fw={500} mt={2}>
    Needs an adjudicator:{" "}
    {what === "mode" ? (
      "choose “Ask the adjudicator” below"
    ) : (
      <Link href={`/p/${projectId}/settings`}>choose a model in Settings</Link>
    )}
  </Text>
);
