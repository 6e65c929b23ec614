"use client";
import { Button, Group, NumberInput, Radio, Skeleton, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { Refused } from "@/app/_components/feedback/refused";
import { Ago } from "@/app/_components/values/ago";
import { ExactTime } from "@/app/_components/values/exact-time";
import { plural } from "@/app/_lib/format";
import { fieldProblem } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import { RETENTION_CEILING_DAYS, RETENTION_FLOOR_DAYS } from "@/server/services/retention/schemas";
import { Impact } from "../../_components/confirm/impact";

const FIRST_OFFER_DAYS = 90;

/** For how long conversations are kept. What a number would delete is shown before that number can be saved. */
export function Retention({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const query = useQuery(trpc.retention.get.queryOptions({ projectId }));
  if (!query.data) {
    return query.error ? (
      <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
    ) : (
      <Skeleton height={140} role="status" aria-label="Loading retention" />
    );
  }
  const { days, updatedAt, nextRunAt } = query.data.retention;
  return (
    <Stack gap="md">
      <div>
        <Text fw={500} data-testid="retention">
          {days === null
            ? "Conversations are kept for ever."
            : `Conversations are kept for ${plural(days, "day")} after their last activity.`}
        </Text>
        <Text size="sm" c="dimmed">
          {days === null ? "Nothing is deleted by age." : <NextRun at={nextRunAt} />}
          {updatedAt === null ? null : (
            <>
              {" "}
              Set <Ago at={updatedAt} />.
            </>
          )}
        </Text>
      </div>
      {/* A form that was filled in for what was set before is of no use for what somebody else has set. */}
      <RetentionForm key={`${days} ${updatedAt}`} projectId={projectId} days={days} nextRunAt={nextRunAt} />
    </Stack>
  );
}

const NextRun = ({ at }: { at: number }) => (
  <>
    What is older is deleted with the next daily run, <ExactTime at={at} />.
  </>
);

type FormProps = { projectId: string; days: number | null; nextRunAt: number };

function RetentionForm({ projectId, days, nextRunAt }: FormProps) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [forEver, setForEver] = useState(days === null);
  const [number, setNumber] = useState<number | string>(days ?? FIRST_OFFER_DAYS);
  /** The number whose preview was asked for. */
  const [asked, setAsked] = useState<number | null>(null);
  const chosen = Number(number);
  const fits =
    number !== "" && Number.isInteger(chosen) && chosen >= RETENTION_FLOOR_DAYS && chosen <= RETENTION_CEILING_DAYS;
  const preview = useQuery(
    trpc.retention.preview.queryOptions(
      { projectId, days: asked ?? RETENTION_FLOOR_DAYS },
      { enabled: asked !== null },
    ),
  );
  const update = useMutation(
    trpc.retention.update.mutationOptions({
      onSuccess: (reply) => {
        queries.setQueryData(trpc.retention.get.queryKey({ projectId }), reply);
        const kept = reply.retention.days;
        notifications.show({
          message: `Conversations are kept ${kept === null ? "for ever" : `for ${plural(kept, "day")}`} now.`,
        });
      },
    }),
  );
  const seen = !forEver && asked === chosen && !preview.isFetching ? preview.data?.preview : undefined;
  const look = () => {
    // Asked again for the same number, it is counted again.
    if (asked === chosen) void preview.refetch();
    setAsked(chosen);
  };
  const unchanged = forEver ? days === null : days === chosen;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!forEver && fits && !seen) look();
      }}
    >
      <Stack gap="sm">
        <Radio.Group
          label="Keep conversations"
          value={forEver ? "ever" : "days"}
          onChange={(value) => {
            setForEver(value === "ever");
            update.reset();
          }}
        >
          <Group gap="lg" mt={6}>
            <Radio size="xs" value="ever" label="For ever" />
            <Radio size="xs" value="days" label="For a number of days" />
          </Group>
        </Radio.Group>
        {forEver ? null : (
          <NumberInput
            label="Days after the last activity"
            description={`From ${RETENTION_FLOOR_DAYS} to ${RETENTION_CEILING_DAYS.toLocaleString("en")}. A conversation that arrived later than it took place is kept as long from its arrival.`}
            maw={320}
            allowDecimal={false}
            allowNegative={false}
            thousandSeparator=","
            value={number}
            onChange={(value) => {
              setNumber(value);
              update.reset();
            }}
            error={
              fieldProblem(update.error, "/days") ??
              fieldProblem(preview.error, "/days") ??
              (fits ? undefined : `A whole number from ${RETENTION_FLOOR_DAYS} to ${RETENTION_CEILING_DAYS}.`)
            }
          />
        )}
        <Refused error={!forEver && asked === chosen ? preview.error : null} />
        {seen ? (
          <Stack gap="sm" role="status">
            {seen.conversations === 0 ? (
              <Text size="sm">
                Nothing is older than {plural(seen.days, "day")} now: the next run would delete nothing.
              </Text>
            ) : (
              <>
                <Text size="sm" fw={500}>
                  The next run would delete:
                </Text>
                <Impact
                  projectId={projectId}
                  conversations={seen.conversations}
                  counts={seen.impact}
                  oldestActivityAt={seen.oldestActivityAt}
                  complete={seen.complete}
                />
                <Text size="sm">
                  <NextRun at={nextRunAt} /> Until then you can change this; afterwards there is no way back.
                </Text>
              </>
            )}
          </Stack>
        ) : null}
        <Refused error={fieldProblem(update.error, "/days") === null ? update.error : null} />
        <Group gap="xs">
          {forEver ? null : (
            <Button type="submit" variant="default" disabled={!fits || Boolean(seen)} loading={preview.isFetching}>
              Show what would be deleted
            </Button>
          )}
          {(forEver || seen) && !unchanged ? (
            <Button
              {...(seen && seen.conversations > 0 ? { color: "red" } : {})}
              loading={update.isPending}
              onClick={() => update.mutate({ projectId, days: forEver ? null : chosen })}
            >
              {forEver ? "Keep for ever" : `Keep for ${plural(chosen, "day")}`}
            </Button>
          ) : null}
        </Group>
      </Stack>
    </form>
  );
}
