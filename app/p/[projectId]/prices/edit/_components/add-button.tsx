import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";

/** Adds a field below a list of fields. */
export const AddButton = ({ onAdd, children }: { onAdd: () => void; children: string }) => (
  <div>
    <Button variant="subtle" size="compact-xs" leftSection={<IconPlus size={12} aria-hidden />} onClick={onAdd}>
      {children}
    </Button>
  </div>
);
