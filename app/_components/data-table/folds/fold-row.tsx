import { UnstyledButton } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import classes from "../data-table.module.css";
import type { ListColumn } from "../types";

type Props<Row> = {
  index: number;
  columns: readonly Pick<ListColumn<Row>, "id" | "meta">[];
  selectable: boolean;
  height: number | undefined;
  open: boolean;
  onToggle: () => void;
  children: React.ReactNode;
};

/**
 * The line that replaces folded rows. j and k stop at it, Enter opens and closes it. It has one cell per column with the button
 * overlaid, because a cell spanning all columns would count those hidden on a phone and squeeze the others. The button is in
 * a cell that is never hidden.
 */
export function FoldRow<Row>({ index, columns, selectable, height, open, onToggle, children }: Props<Row>) {
  const Icon = open ? IconChevronDown : IconChevronRight;
  const cells: Props<Row>["columns"] = selectable ? [{ id: "select" }, ...columns] : columns;
  const place = Math.max(
    0,
    cells.findIndex(({ meta }) => !meta?.roomy && !meta?.wide && !meta?.aside),
  );
  return (
    <tr
      aria-rowindex={index + 2}
      className={classes.fold}
      style={height === undefined ? undefined : { blockSize: height }}
    >
      {cells.map(({ id, meta }, at) => (
        <td key={id} data-roomy={meta?.roomy || undefined} data-wide={meta?.wide || undefined}>
          {at === place ? (
            <UnstyledButton className={classes.foldButton} data-row={index} aria-expanded={open} onClick={onToggle}>
              <Icon size={14} aria-hidden />
              <span className="clip">{children}</span>
            </UnstyledButton>
          ) : null}
        </td>
      ))}
    </tr>
  );
}
