"use client";
import { ActionIcon, Group, Menu, Switch, Text } from "@mantine/core";
import { IconDots, IconPencil, IconTrash } from "@tabler/icons-react";

/** What readers who may change rules can do with one. */
export type RuleChange<Rule> = { onEdit: (rule: Rule) => void; onDelete: (rule: Rule) => void };

type Props<Rule> = {
  rule: Rule;
  change: RuleChange<Rule> | undefined;
  isPending: boolean;
  onSwitch: (enabled: boolean) => void;
};

/** The switch and the menu of a rule; readers who may not change it only see whether it is on. */
export function RuleControls<Rule extends { name: string; enabled: boolean }>({
  rule,
  change,
  isPending,
  onSwitch,
}: Props<Rule>) {
  const { name, enabled } = rule;
  if (!change) {
    return (
      <Text size="sm" ta="end">
        {enabled ? "On" : "Off"}
      </Text>
    );
  }
  return (
    <Group gap={8} justify="flex-end" wrap="nowrap">
      <Switch
        size="xs"
        checked={enabled}
        disabled={isPending}
        aria-label={`${name} is on`}
        onChange={(event) => onSwitch(event.currentTarget.checked)}
      />
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={`More for ${name}`}>
            <IconDots size={16} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={14} aria-hidden />} onClick={() => change.onEdit(rule)}>
            Edit…
          </Menu.Item>
          <Menu.Item
            color="red"
            leftSection={<IconTrash size={14} aria-hidden />}
            onClick={() => change.onDelete(rule)}
          >
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}
