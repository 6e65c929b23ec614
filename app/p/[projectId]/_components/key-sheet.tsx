import { Group, Kbd, Modal, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { Fragment } from "react";
import { usePages } from "./use-pages";

type KeyGroup = { title: string; keys: [string[], string][] };

const OF_PAGES: KeyGroup[] = [
  {
    title: "Lists",
    keys: [
      [["j"], "Next row"],
      [["k"], "Row before"],
      [["enter"], "Open"],
      [["space"], "Peek"],
      [["/"], "Search"],
      [["u"], "Undo"],
      [["esc"], "Close, back"],
    ],
  },
  {
    title: "A conversation",
    keys: [
      [["n"], "Next Finding"],
      [["p"], "Finding before"],
      [["["], "Tab before"],
      [["]"], "Next tab"],
      [["l"], "Change labels"],
    ],
  },
  {
    title: "A Finding",
    keys: [
      [["c"], "Confirm"],
      [["e"], "Dismiss"],
      [["r"], "Resolve, unresolve"],
      [["u"], "Undo"],
    ],
  },
];

export function KeySheet({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const goes = usePages().map(({ key, label }): [string[], string] => [["g", key], label]);
  const groups: KeyGroup[] = [{ title: "Go", keys: [[["⌘", "K"], "Palette"], ...goes] }, ...OF_PAGES];
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard" size="lg">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="lg">
        {groups.map(({ title, keys }) => (
          <Stack key={title} gap={6}>
            <Title order={3}>{title}</Title>
            {keys.map(([combo, what]) => (
              <Group key={what} justify="space-between" wrap="nowrap">
                <Text size="sm">{what}</Text>
                <Group gap={4} wrap="nowrap">
                  {combo.map((key) => (
                    <Fragment key={key}>
                      <Kbd size="xs">{key}</Kbd>
                    </Fragment>
                  ))}
                </Group>
              </Group>
            ))}
          </Stack>
        ))}
      </SimpleGrid>
    </Modal>
  );
}
