import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "next/navigation";
import { useTRPC } from "@/app/_lib/trpc/client";
import { RULE_OPTIONS } from "../../_components/findings/rule-words";

type Props = {
  /** A Rule's id, possibly of one that no longer exists; `null` means any. */
  value: string | null;
  onChange: (rule: string | null) => void;
};

/** Chooses a Rule, built in or the project's own. */
export function RuleSelect({ value, onChange }: Props) {
  const { projectId } = useParams<{ projectId: string }>();
  const trpc = useTRPC();
  const { data } = useQuery(trpc.rules.list.queryOptions({ projectId }));
  const own = (data?.rules ?? []).flatMap(({ id, name, own }) => (own ? [{ value: id, label: name }] : []));
  const options = [...RULE_OPTIONS, ...own];
  return (
    <NativeSelect
      aria-label="Rule"
      value={value ?? ""}
      onChange={(event) => onChange(event.currentTarget.value || null)}
      data={[
        { value: "", label: "Any Rule" },
        ...options,
        ...(value && !options.some((known) => known.value === value) ? [value] : []),
      ]}
    />
  );
}
