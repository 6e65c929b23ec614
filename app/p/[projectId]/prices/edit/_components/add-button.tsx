import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";

/** Below a list of fields: one more. */
export const AddButton = ({ onAdd, children }: { onAdd: () => void; children: string }) => (
  <div>
    <Button variant="subtle" size="compact-xs" leftSection={<IconPlus size={12} aria-hidden />} onClick={onAdd}>
      {children}
    </Button>
  </div>
);
