import { Group } from "@mantine/core";
import { CopyButton } from "../controls/copy-button";

/** An id in mono, whole on hover, copied by its button. */
export function IdText({ id, what = "id" }: { id: string; what?: string }) {
  return (
    <Group gap={2} wrap="nowrap" miw={0}>
      <span className="mono clip" title={id}>
        {id}
      </span>
      <CopyButton value={id} label={`Copy ${what}`} />
    </Group>
  );
}
