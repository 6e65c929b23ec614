"use client";
import { ActionIcon, Menu } from "@mantine/core";
import { IconColumns3 } from "@tabler/icons-react";

type Props = {
  columns: readonly { id: string; label: string }[];
  hidden: string[];
  onChange: (hidden: string[]) => void;
};

/** Chooses the visible columns; the choice is kept in the URL. */
export function ColumnMenu({ columns, hidden, onChange }: Props) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size={30} aria-label="Choose columns" title="Columns">
          <IconColumns3 size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {columns.map(({ id, label }) => (
          <Menu.CheckboxItem
            key={id}
            checked={!hidden.includes(id)}
            onChange={(shown) => onChange(shown ? hidden.filter((other) => other !== id) : [...hidden, id])}
          >
            {label}
          </Menu.CheckboxItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
