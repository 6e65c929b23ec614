"use client";
import { Button, Checkbox, Group, Radio, SegmentedControl, Stack, Text } from "@mantine/core";
import { useId, useState } from "react";
import { Refused } from "@/app/_components/feedback/refused";
import { plural } from "@/app/_lib/format";
import type { ShareLink } from "@/server/services/sharing/schemas";
import { useMay } from "../access/membership";
import { DAYS_OFFERED, MASKING_WORDS } from "./share-words";

type Masking = ShareLink["masking"];
type Choice = { masking: Masking; days: number; includeCost: boolean };
type Props = { error: unknown; creating: boolean; onCreate: (choice: Choice) => void; onCancel: () => void };

const MASKINGS = Object.keys(MASKING_WORDS) as Masking[];
const DAYS_USUAL = 7;

export function ShareForm({ error, creating, onCreate, onCancel }: Props) {
  const mayMaskNothing = useMay("project:admin");
  const label = useId();
  const [masking, setMasking] = useState<Masking>("personal_data");
  const [days, setDays] = useState<number>(DAYS_USUAL);
  const [includeCost, setIncludeCost] = useState(false);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onCreate({ masking, days, includeCost });
      }}
    >
      <Stack gap="md">
        <Text size="sm">
          Anyone with the link can read the copy, as it is now, without an account. Ids, images and files are left out.
        </Text>
        <Refused error={error} />
        <Radio.Group
          label="Masking"
          value={masking}
          onChange={(value) => setMasking(MASKINGS.find((one) => one === value) ?? "personal_data")}
        >
          <Stack gap="xs" mt={6}>
            {MASKINGS.map((value) => (
              <Radio
                key={value}
                value={value}
                disabled={value === "nothing" && !mayMaskNothing}
                label={MASKING_WORDS[value].label}
                description={MASKING_WORDS[value].description}
              />
            ))}
          </Stack>
        </Radio.Group>
        <Stack gap={6}>
          <Text size="sm" fw={500} id={label}>
            The link works for
          </Text>
          <SegmentedControl
            aria-labelledby={label}
            value={String(days)}
            onChange={(value) => setDays(Number(value))}
            data={DAYS_OFFERED.map((offered) => ({ value: String(offered), label: plural(offered, "day") }))}
          />
        </Stack>
        <Checkbox
          label="Show the cost"
          checked={includeCost}
          onChange={(event) => setIncludeCost(event.currentTarget.checked)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={creating}>
            Create link
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
