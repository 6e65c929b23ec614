"use client";
import { Button, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Refused } from "@/app/_components/feedback/refused";
import { Dot } from "@/app/_components/values/dot";
import { formatCount, plural } from "@/app/_lib/format";
import { type RouterOutputs, useTRPC } from "@/app/_lib/trpc/client";
import { useMay } from "../access/membership";

type Found = RouterOutputs["datasets"]["check"]["check"]["heldOut"];
type Props = { projectId: string; datasetId: string };

const IGNORED: Record<Found["ignored"][number], string> = {
  answer: "equal answers",
  user: "Examples of one user",
};

/** Says how many held-out Examples training has copies of, and offers a version without. */
export function HeldOut({ found, ...at }: Props & { found: Found }) {
  const { count, seen, ignored } = found;
  const without =
    ignored.length === 0
      ? null
      : `${ignored.map((one) => IGNORED[one]).join(" and ")} do not count as copies here, because they are more than a tenth of all.`;
  return (
    <>
      {seen === 0 ? (
        <Dot color="var(--state-ok)">
          {count === 0 ? "No Example is held out" : "No held-out Example has a copy in training"}
        </Dot>
      ) : (
        <>
          <Dot color="var(--severity-critical)">
            Held-out Examples with a copy in training: {formatCount(seen)} of {formatCount(count)}
          </Dot>
          <Text size="xs" c="dimmed">
            A near copy of the question, the same long answer, conversation or user. Comparisons leave these Examples
            out, because a model has as good as seen them.
          </Text>
          <CleanSplit {...at} />
        </>
      )}
      {without === null ? null : (
        <Text size="xs" c="dimmed">
          {without[0]?.toUpperCase()}
          {without.slice(1)}
        </Text>
      )}
    </>
  );
}

function CleanSplit({ projectId, datasetId }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const may = useMay("models:manage");
  const split = useMutation(
    trpc.datasets.cleanSplit.mutationOptions({
      onSuccess: ({ cleanSplit: { moved, version } }) =>
        notifications.show({ message: `Moved ${plural(moved, "Example")} in version ${formatCount(version)}` }),
      onSettled: () =>
        Promise.all(
          [trpc.datasets, trpc.examples, trpc.datasetVersions].map((part) =>
            queries.invalidateQueries({ queryKey: part.pathKey() }),
          ),
        ),
    }),
  );
  if (!may) return null;
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        my={6}
        loading={split.isPending}
        onClick={() => split.mutate({ projectId, datasetId })}
      >
        Move copies to one side
      </Button>
      <Refused error={split.error} />
    </>
  );
}

/** The same for a Dataset that is about to be trained on, and nothing if all is well. */
export function HeldOutNotice({ projectId, datasetId }: Props) {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.datasets.check.queryOptions({ projectId, datasetId }, { staleTime: 60_000 }));
  const found = data?.check.heldOut;
  if (!found || found.seen === 0) return null;
  return (
    <div role="status">
      <HeldOut projectId={projectId} datasetId={datasetId} found={found} />
    </div>
  );
}
