import { Group, Kbd, Modal, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { Fragment } from "react";
import { useModKey } from "@/app/_lib/mod-key";
import { type Capability, ROLE_CAPABILITIES } from "@/server/platform/capabilities";
import { useRole } from "../access/membership";
import { usePages } from "./use-pages";

/** Stands for the modifier of the reader's machine. */
const MOD = "mod";

/** A third entry is the capability that the key requires. */
type KeyGroup = { title: string; keys: [string[], string, Capability?][] };

const OF_PAGES: KeyGroup[] = [
  {
    title: "Lists",
    keys: [
      [["j"], "Next row"],
      [["k"], "Previous row"],
      [["enter"], "Open"],
      [["space"], "Peek"],
      [["home"], "First row"],
      [["end"], "Last row"],
      [["x"], "Select"],
      [["shift", "x"], "Extend selection"],
      [[MOD, "A"], "Select all"],
      [["/"], "Search"],
      [["v"], "Saved views"],
      [["u"], "Undo"],
      [["esc"], "Close, back"],
    ],
  },
  {
    title: "A conversation",
    keys: [
      [["n"], "Next Finding"],
      [["p"], "Previous Finding"],
      [["["], "Previous tab"],
      [["]"], "Next tab"],
      [["l"], "Change labels", "diagnostics:write"],
    ],
  },
  {
    title: "A Finding",
    keys: [
      [["c"], "Confirm"],
      [["e"], "Dismiss"],
      [["w"], "Wrong Finding"],
      [["r"], "Resolve, unresolve"],
      [["a"], "Assign to me"],
      [["h"], "Hand off", "diagnostics:write"],
      [["m"], "Merge the selected"],
      [["s"], "Split off a conversation"],
      [["u"], "Undo"],
    ],
  },
  {
    title: "Review",
    keys: [
      [["a"], "Approve", "models:manage"],
      [["e"], "Edit and approve", "models:manage"],
      [["r"], "Reject", "models:manage"],
      [["p"], "Make pair", "models:manage"],
      [["s"], "Skip", "models:manage"],
      [["u"], "Undo", "models:manage"],
    ],
  },
  { title: "A deployment", keys: [[["shift", "r"], "Roll back", "project:models:manage"]] },
  { title: "Playground", keys: [[[MOD, "↵"], "Send", "models:manage"]] },
];

export function KeySheet({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const goes = usePages().flatMap(({ key, label }): [string[], string][] =>
    key === null ? [] : [[["g", key], label]],
  );
  const may = ROLE_CAPABILITIES[useRole()];
  const mod = useModKey();
  const groups: KeyGroup[] = [{ title: "Go", keys: [[[MOD, "K"], "Palette"], ...goes] }, ...OF_PAGES];
  return (
    <Modal opened={opened} onClose={onClose} title="Keyboard shortcuts" size="lg">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="lg">
        {groups.map(({ title, keys }) => (
          <Stack key={title} gap={6}>
            <Title order={3}>{title}</Title>
            {keys
              .filter(([, , needs]) => !needs || may.includes(needs))
              .map(([combo, what]) => (
                <Group key={what} justify="space-between" wrap="nowrap">
                  <Text size="sm">{what}</Text>
                  <Group gap={4} wrap="nowrap">
                    {combo.map((key) => (
                      <Fragment key={key}>
                        <Kbd size="xs">{key === MOD ? mod : key}</Kbd>
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
