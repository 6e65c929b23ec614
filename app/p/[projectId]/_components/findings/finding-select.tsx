import { Select, type SelectProps } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";

const LISTED = 200;

type Props = Omit<SelectProps, "data" | "value" | "onChange" | "searchable"> & {
  projectId: string;
  /** A Finding's id. */
  value: string | null;
  onChange: (id: string | null, title: string | null) => void;
};

/** Chooses one of the Findings with the most conversations; one that is set is among them, however few it has. */
export function FindingSelect({ projectId, value, onChange, ...props }: Props) {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.findings.list.queryOptions({ projectId, limit: LISTED, sort: "conversations" }));
  const listed = data?.findings ?? [];
  const other = value !== null && !listed.some(({ id }) => id === value) ? value : null;
  const named = useQuery(
    trpc.findings.get.queryOptions(
      { projectId, findingId: other ?? "" },
      { enabled: data !== undefined && other !== null },
    ),
  );
  const all = other === null ? listed : [{ id: other, title: named.data?.finding.title ?? other }, ...listed];
  const options = all.map(({ id, title }) => ({ value: id, label: title.replaceAll("`", "") }));
  return (
    <Select
      {...props}
      searchable
      data={options}
      value={value}
      onChange={(id) => onChange(id, options.find((option) => option.value === id)?.label ?? null)}
    />
  );
}
