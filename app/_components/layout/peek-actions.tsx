import { Button, Group } from "@mantine/core";
import type { ListAction } from "../data-table/types";

type Props<Row> = { row: Row; actions: readonly ListAction<Row>[]; onAct: (actionId: string, row: Row) => void };

/** The actions of a list's row as buttons in its peek. */
export function PeekActions<Row>({ row, actions, onAct }: Props<Row>) {
  if (actions.length === 0) return null;
  return (
    <Group gap="xs">
      {actions.map(({ id, label, icon }) => (
        <Button key={id} variant="default" size="compact-sm" leftSection={icon} onClick={() => onAct(id, row)}>
          {label}
        </Button>
      ))}
    </Group>
  );
}
