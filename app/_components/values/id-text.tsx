import { Group } from "@mantine/core";
import { CopyButton } from "../controls/copy-button";

/** A monospaced id, in full on hover, with a copy button. */
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
