import { Anchor, Checkbox, MultiSelect, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTRPC } from "@/app/_lib/trpc/client";
import { PAGE_LIMIT_MAX } from "@/server/platform/schemas";
import { KNOWLEDGE_GOALS_MAX } from "@/server/services/datasets/datasets/schemas";

type Props = {
  projectId: string;
  /** `null`: every goal. */
  value: string[] | null;
  onChange: (goalIds: string[] | null) => void;
  disabled: boolean;
};

/** Limits a Dataset to chosen Knowledge goals. */
export function LimitToGoals({ projectId, value, onChange, disabled }: Props) {
  const trpc = useTRPC();
  const goals = useQuery(trpc.knowledgeGoals.list.queryOptions({ projectId, limit: PAGE_LIMIT_MAX }));
  const known = goals.data?.knowledgeGoals ?? [];
  if (goals.data && known.length === 0)
    return (
      <Text size="sm">
        This project has no Knowledge goals yet, so nothing is collected.{" "}
        <Anchor component={Link} underline="always" href={`/p/${projectId}/knowledge-goals`}>
          Write the first
        </Anchor>
      </Text>
    );
  return (
    <>
      <Checkbox
        label="Only for chosen Knowledge goals"
        description="Otherwise for every goal of the project, including those added later."
        disabled={disabled}
        checked={value !== null}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? [] : null)}
      />
      {value === null ? null : (
        <MultiSelect
          label="Knowledge goals"
          searchable
          maxValues={KNOWLEDGE_GOALS_MAX}
          nothingFoundMessage="No goal has this title"
          disabled={disabled}
          error={value.length === 0 ? "Choose a goal: nothing is collected without one." : null}
          // A goal that is not in the list is shown by its id.
          data={[
            ...known.map(({ id, title }) => ({ value: id, label: title })),
            ...value
              .filter((id) => !known.some((goal) => goal.id === id))
              .map((id) => ({ value: id, label: goals.data ? id : "…" })),
          ]}
          value={value}
          onChange={onChange}
        />
      )}
    </>
  );
}
