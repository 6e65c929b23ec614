import { Button, Group, Kbd, Menu, Text } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { formatCount, plural } from "@/app/_lib/format";
import classes from "./data-table.module.css";
import type { ListAction } from "./types";
import type { Selection } from "./use-selection";

type Run<Row> = {
  /** The id of the action that is running. */
  running: string | null;
  onRun: (action: ListAction<Row>) => void;
};

type Props<Row> = Run<Row> & {
  what: string;
  selection: Selection<Row>;
  actions: readonly ListAction<Row>[];
  /** More rows match than are loaded, and some action can act on them too. */
  offersMatching: boolean;
  /** The number of matching rows, if known. */
  total: number | undefined;
};

/** The actions for the selected rows, below the list while any is selected. */
export function BulkBar<Row>({ what, selection, actions, offersMatching, total, ...run }: Props<Row>) {
  const { rows, matching } = selection;
  if (rows.length === 0) return null;
  const said = matching
    ? total === undefined
      ? `Every matching ${what}`
      : `All ${plural(total, `matching ${what}`)}`
    : `${plural(rows.length, what)} selected`;
  const offered = actions.filter(
    (action) => !action.single && (!matching || action.matching) && (!action.applies || rows.some(action.applies)),
  );
  const groupOf = ({ id, group }: ListAction<Row>) => group ?? id;
  const groups = [...new Set(offered.map(groupOf))].map((name) => offered.filter((action) => groupOf(action) === name));
  return (
    <div role="toolbar" aria-label="Actions on the selection" className={classes.bulk}>
      <Text size="sm" fw={500} role="status">
        {said}
      </Text>
      <Group gap={6}>
        {groups.map((group) => {
          const action = group[0]!;
          return action.group === undefined ? (
            <ActionButton key={action.id} action={action} {...run} />
          ) : (
            <ActionMenu key={action.group} name={action.group} actions={group} {...run} />
          );
        })}
      </Group>
      <Group gap={6} ml="auto">
        {offersMatching && !matching ? (
          <Button variant="subtle" size="compact-sm" onClick={selection.selectMatching}>
            Select all {total === undefined ? "" : `${formatCount(total)} `}matching
          </Button>
        ) : null}
        <Button variant="subtle" size="compact-sm" onClick={selection.clear}>
          Clear
        </Button>
      </Group>
    </div>
  );
}

const inRed = ({ danger }: { danger?: boolean | undefined }) => (danger ? { c: "var(--mantine-color-error)" } : {});
const keyOf = ({ key }: { key?: string | undefined }) => (key ? <Kbd size="xs">{key}</Kbd> : undefined);

const ActionButton = <Row,>({ action, running, onRun }: Run<Row> & { action: ListAction<Row> }) => (
  <Button
    variant="default"
    size="compact-sm"
    {...inRed(action)}
    leftSection={action.icon}
    rightSection={keyOf(action)}
    loading={running === action.id}
    disabled={running !== null && running !== action.id}
    onClick={() => onRun(action)}
  >
    {action.label}
  </Button>
);

type MenuProps<Row> = Run<Row> & { name: string; actions: readonly ListAction<Row>[] };

function ActionMenu<Row>({ name, actions, running, onRun }: MenuProps<Row>) {
  const isRunning = actions.some(({ id }) => id === running);
  return (
    <Menu position="top-start">
      <Menu.Target>
        <Button
          variant="default"
          size="compact-sm"
          rightSection={<IconChevronDown size={12} aria-hidden />}
          loading={isRunning}
          disabled={running !== null && !isRunning}
        >
          {name}
        </Button>
      </Menu.Target>
      <Menu.Dropdown mah={320} style={{ overflowY: "auto" }}>
        {actions.map((action) => (
          <Menu.Item key={action.id} {...inRed(action)} rightSection={keyOf(action)} onClick={() => onRun(action)}>
            {action.label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
