import type { Row as TableRow } from "@tanstack/react-table";
import classes from "./data-table.module.css";
import { ListCheck } from "./list-check";
import { RowLink } from "./row-link";
import { clickRow, useFollowFocus } from "./use-row-keys";
import type { Selection } from "./use-selection";

type Props<Row> = {
  row: TableRow<Row>;
  index: number;
  /** Absent: as tall as its content. */
  height: number | undefined;
  href: string | undefined;
  /** A row's link is the list itself with the row open. */
  linkPeeks: boolean;
  active: boolean;
  dimmed: boolean;
  /** A row is open next to the list; the open row follows the focus. */
  beside: boolean;
  /** Opens the row next to the list, or closes it. */
  onPeek: (() => void) | undefined;
  /** Opens the row in another way. */
  onOpen: (() => void) | undefined;
  name: string;
  selection: Selection<Row> | undefined;
};

/** A row of a list. j and k focus its link or, if it has none, the row itself. */
export function ListRow<Row>(props: Props<Row>) {
  const { row, index, height, href, linkPeeks, active, dimmed, beside, name, selection } = props;
  const following = useFollowFocus();
  const onPeek = props.onPeek ?? props.onOpen;
  const follow = beside && !active ? props.onPeek : undefined;
  const takesFocus = href === undefined;
  const selected = selection?.isSelected(row.id) ?? false;
  return (
    <tr
      aria-rowindex={index + 2}
      className={classes.row}
      data-row-id={row.id}
      data-active={active || undefined}
      data-off={dimmed || undefined}
      data-selected={selected || undefined}
      style={height === undefined ? undefined : { blockSize: height }}
      {...(takesFocus ? { tabIndex: -1, "data-row": index } : {})}
      {...following(follow)}
      onClick={(event) => {
        const rowElement = event.currentTarget;
        const toggle =
          onPeek &&
          (() => {
            const target = takesFocus ? rowElement : rowElement.querySelector<HTMLElement>("[data-row]");
            target?.focus({ preventScroll: true });
            onPeek();
          });
        clickRow(event, toggle, follow);
      }}
      onKeyDown={(event) => {
        if (!onPeek || event.target !== event.currentTarget || (event.key !== "Enter" && event.key !== " ")) return;
        event.preventDefault();
        onPeek();
      }}
    >
      {selection ? (
        <td className={classes.select}>
          <ListCheck
            aria-label={`Select ${name}`}
            checked={selected}
            onChange={(event) => selection.toggle(row.id, (event.nativeEvent as MouseEvent).shiftKey)}
          />
        </td>
      ) : null}
      {row.getVisibleCells().map((cell) => {
        const { cell: draw, meta: { align, roomy, wide, controls, link, below } = {} } = cell.column.columnDef;
        // Called, not rendered as a component: pages create new columns each render, and a remounted cell loses its open menu.
        const content = typeof draw === "function" ? draw(cell.getContext()) : draw;
        return (
          <td
            key={cell.id}
            data-align={align}
            data-roomy={roomy || undefined}
            data-wide={wide || undefined}
            data-controls={controls || undefined}
          >
            {link && href !== undefined ? (
              <RowLink href={href} index={index} onPeek={onPeek} peeks={linkPeeks}>
                {content}
              </RowLink>
            ) : (
              content
            )}
            {below?.(row.original)}
          </td>
        );
      })}
    </tr>
  );
}
