import { Button } from "@mantine/core";
import { IconFilterOff } from "@tabler/icons-react";
import { EmptyState } from "./empty-state";

type Props = {
  title: string;
  onClear: () => void;
  /** The button's label, for a list with more than filters, or with other words for them. */
  clear?: string;
  children?: React.ReactNode;
};

/** Explains that a list has nothing within its filters, and clears them. */
export const NoMatch = ({
  title,
  onClear,
  clear = "Clear filters",
  children = "There may be others outside these filters.",
}: Props) => (
  <EmptyState
    icon={IconFilterOff}
    title={title}
    action={
      <Button variant="default" onClick={onClear}>
        {clear}
      </Button>
    }
  >
    {children}
  </EmptyState>
);
