import { Select } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { FormValues } from "./form-values";

const LISTED = 200;

/** The Finding whose share is measured: one of the newest, or the one that is set. */
export function FindingField({ projectId, form }: { projectId: string; form: UseFormReturnType<FormValues> }) {
  const trpc = useTRPC();
  const { findingId } = form.values;
  const newest = useQuery(trpc.findings.list.queryOptions({ projectId, limit: LISTED })).data?.findings;
  const isListed = newest?.some(({ id }) => id === findingId) ?? true;
  const own = useQuery(
    trpc.findings.get.queryOptions({ projectId, findingId }, { enabled: findingId !== "" && !isListed }),
  ).data?.finding;
  const options = [...(own ? [own] : []), ...(newest ?? [])];
  return (
    <Select
      label="Finding"
      required
      searchable
      limit={50}
      placeholder={newest?.length === 0 ? "No Finding yet" : "Choose"}
      nothingFoundMessage="None of the newest Findings"
      data={options.map(({ id, title }) => ({ value: id, label: title }))}
      {...form.getInputProps("findingId")}
      value={findingId || null}
      onChange={(id) => form.setFieldValue("findingId", id ?? "")}
    />
  );
}
