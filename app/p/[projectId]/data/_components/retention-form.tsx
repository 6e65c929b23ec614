import { Button, Group, NumberInput, Radio, Stack, Text } from "@mantine/core";
import { Refused } from "@/app/_components/feedback/refused";
import { plural } from "@/app/_lib/format";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import { RETENTION_CEILING_DAYS, RETENTION_FLOOR_DAYS } from "@/server/services/retention/schemas";
import { Impact } from "../../_components/confirm/impact";
import { NextRun } from "./next-run";
import { useRetentionForm } from "./use-retention-form";

type Props = { projectId: string; days: number | null; nextRunAt: number };

export function RetentionForm({ projectId, days, nextRunAt }: Props) {
  const form = useRetentionForm(projectId, days);
  const { forEver, seen, chosen } = form;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        form.look();
      }}
    >
      <Stack gap="sm">
        <Radio.Group
          label="Keep conversations"
          value={forEver ? "ever" : "days"}
          onChange={(value) => form.setForEver(value === "ever")}
        >
          <Group gap="lg" mt={6}>
            <Radio size="xs" value="ever" label="Forever" />
            <Radio size="xs" value="days" label="For a number of days" />
          </Group>
        </Radio.Group>
        {forEver ? null : (
          <NumberInput
            label="Days after the last activity"
            description={`From ${RETENTION_FLOOR_DAYS} to ${RETENTION_CEILING_DAYS.toLocaleString("en")}. For a conversation that arrived late, the days count from its arrival.`}
            maw={320}
            allowDecimal={false}
            allowNegative={false}
            thousandSeparator=","
            value={form.number}
            onChange={form.setNumber}
            error={form.numberProblem}
          />
        )}
        <Refused error={form.previewError} />
        {seen ? <WouldDelete projectId={projectId} preview={seen} nextRunAt={nextRunAt} /> : null}
        <Refused error={form.saveError} />
        <Group gap="xs">
          {forEver ? null : (
            <Button type="submit" variant="default" disabled={!form.fits || Boolean(seen)} loading={form.looking}>
              Show what would be deleted
            </Button>
          )}
          {(forEver || seen) && form.changed ? (
            <Button
              {...(seen && seen.conversations > 0 ? { color: "red" } : {})}
              loading={form.saving}
              onClick={form.save}
            >
              {forEver ? "Keep forever" : `Keep for ${plural(chosen, "day")}`}
            </Button>
          ) : null}
        </Group>
      </Stack>
    </form>
  );
}

type WouldDeleteProps = {
  projectId: string;
  preview: RouterOutputs["retention"]["preview"]["preview"];
  nextRunAt: number;
};

/** What the next daily run would delete with the number that was typed. */
function WouldDelete({ projectId, preview, nextRunAt }: WouldDeleteProps) {
  const { conversations, days, impact, oldestActivityAt, complete } = preview;
  return (
    <Stack gap="sm" role="status">
      {conversations === 0 ? (
        <Text size="sm">Nothing is older than {plural(days, "day")} now: the next run would delete nothing.</Text>
      ) : (
        <>
          <Text size="sm" fw={500}>
            The next run would delete:
          </Text>
          <Impact
            projectId={projectId}
            conversations={conversations}
            counts={impact}
            oldestActivityAt={oldestActivityAt}
            complete={complete}
          />
          <Text size="sm">
            <NextRun at={nextRunAt} /> You can change this until then; afterwards it can’t be undone.
          </Text>
        </>
      )}
    </Stack>
  );
}
