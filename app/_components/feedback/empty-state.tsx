import { EmptyState as MantineEmptyState } from "@mantine/core";
import type { Icon } from "@tabler/icons-react";

type Props = {
  icon: Icon | null;
  title: string;
  /** The content of the paragraph: text, links and the like. */
  children: React.ReactNode;
  /** What follows the paragraph. */
  below?: React.ReactNode;
  action?: React.ReactNode;
};

/** Explains why a list is empty, and offers the one thing to do about it. */
export function EmptyState({ icon: Shape, title, children, below, action }: Props) {
  const icon = Shape && <Shape size={32} stroke={1.5} aria-hidden />;
  return (
    <MantineEmptyState size="sm" icon={icon} title={title} description={children} py={64} px="md" maw={520} mx="auto">
      {below}
      {action ? <MantineEmptyState.Actions mt="sm">{action}</MantineEmptyState.Actions> : null}
    </MantineEmptyState>
  );
}
