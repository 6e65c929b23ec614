import { Select } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTRPC } from "@/app/_lib/trpc/client";
import { MEASURES } from "@/server/services/notifications/alerts/schemas";
import type { FormValues } from "./form-values";

const LISTED = 200;
const NAME_MAX = 120;

/** The Finding whose share is measured: one of the newest, or the one that is set. */
export function FindingField({ projectId, form }: { projectId: string; form: UseFormReturnType<FormValues> }) {
  const trpc = useTRPC();
  const { findingId } = form.values;
  const newest = useQuery(trpc.findings.list.queryOptions({ projectId, limit: LISTED })).data?.findings;
  const isListed = newest?.some(({ id }) => id === findingId) ?? true;
  const own = useQuery(
    trpc.findings.get.queryOptions({ projectId, findingId }, { enabled: findingId !== "" && !isListed }),
  ).data?.finding;
  // It may be in the cache, and in the list.
  const options = [...(own && !isListed ? [own] : []), ...(newest ?? [])];
  const title = options.find(({ id }) => id === findingId)?.title;
  const { setFieldValue, values } = form;
  useEffect(() => {
    // Unless a person named it.
    if (title !== undefined && values.name === MEASURES.finding_share.name)
      setFieldValue("name", `Share of “${title}”`.slice(0, NAME_MAX));
  }, [title, values.name, setFieldValue]);
  return (
    <Select
      size="sm"
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
