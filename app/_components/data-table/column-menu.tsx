"use client";
import { ActionIcon, Menu } from "@mantine/core";
import { IconColumns3 } from "@tabler/icons-react";
import type { ListColumn } from "./types";
import { useListView } from "./use-list-view";

/** The name of a column, for people. */
export const columnName = <Row,>({ meta, header, id }: ListColumn<Row>) =>
  meta?.label ?? (typeof header === "string" ? header : id);

/** The columns with a list's link and its buttons are always shown. */
const isHideable = <Row,>({ meta }: ListColumn<Row>) => !meta?.link && !meta?.controls;

/** Chooses the visible columns of the page's list; the choice is stored in the URL. */
export function ColumnMenu<Row>({ columns }: { columns: readonly ListColumn<Row>[] }) {
  const [{ hide }, setView] = useListView();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size={30} aria-label="Choose columns" title="Columns">
          <IconColumns3 size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {columns.filter(isHideable).map((column) => (
          <Menu.CheckboxItem
            key={column.id}
            checked={!hide.includes(column.id)}
            onChange={(shown) =>
              void setView({ hide: shown ? hide.filter((other) => other !== column.id) : [...hide, column.id] })
            }
          >
            {columnName(column)}
          </Menu.CheckboxItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
