import { Text } from "@mantine/core";
import { formatCount } from "@/app/_lib/format";
import { SORTED_MAX } from "@/server/platform/schemas";

/** Notes that only the newest part of a list was sorted. */
export const SampledNote = ({ what, sampled }: { what: string; sampled: boolean | undefined }) =>
  sampled ? (
    <Text size="xs" c="dimmed" px="md" py={6} role="note">
      Sorted within the newest {formatCount(SORTED_MAX)} {what} that match. Narrow the filters for an exact order.
    </Text>
  ) : null;
