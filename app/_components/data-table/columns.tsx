import { Button } from "@mantine/core";
import { Ago } from "../values/ago";
import type { ListColumn } from "./types";

type TimeColumn<Row> = { id: string; header: string; at: (row: Row) => number; roomy?: boolean };

/** A column with a time, sorted in the browser. */
export const timeColumn = <Row,>({ id, header, at, roomy = false }: TimeColumn<Row>): ListColumn<Row> => ({
  id,
  header,
  accessorFn: at,
  meta: { roomy },
  cell: ({ row }) => <Ago at={at(row.original)} />,
});

type ButtonColumn<Row> = {
  label: string;
  /** What the button does to the row, for screen readers. */
  says: (row: Row) => string;
  busy: (row: Row) => boolean;
  onPress: (row: Row) => void;
  /** Whether a row has the button. Default: every row. */
  applies?: (row: Row) => boolean;
};

/** A column with one button per row. */
export const buttonColumn = <Row,>({ label, says, busy, onPress, applies }: ButtonColumn<Row>): ListColumn<Row> => ({
  id: "actions",
  header: "",
  meta: { controls: true },
  cell: ({ row: { original } }) =>
    applies && !applies(original) ? null : (
      <Button
        variant="default"
        size="compact-xs"
        loading={busy(original)}
        aria-label={says(original)}
        onClick={() => onPress(original)}
      >
        {label}
      </Button>
    ),
});
