"use client";
import { ActionIcon, Menu, Tooltip } from "@mantine/core";
import { IconCheck, IconColumns3 } from "@tabler/icons-react";

type Props = {
  columns: readonly { id: string; label: string }[];
  hidden: string[];
  onChange: (hidden: string[]) => void;
};

/** Which columns show. The choice lives in the address. */
export function ColumnMenu({ columns, hidden, onChange }: Props) {
  return (
    <Menu position="bottom-end" closeOnItemClick={false}>
      <Menu.Target>
        <Tooltip label="Columns">
          <ActionIcon variant="default" size={30} aria-label="Choose columns">
            <IconColumns3 size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        {columns.map(({ id, label }) => {
          const shown = !hidden.includes(id);
          return (
            <Menu.Item
              key={id}
              role="menuitemcheckbox"
              aria-checked={shown}
              leftSection={<IconCheck size={14} aria-hidden style={{ visibility: shown ? "visible" : "hidden" }} />}
              onClick={() => onChange(shown ? [...hidden, id] : hidden.filter((other) => other !== id))}
            >
              {label}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
