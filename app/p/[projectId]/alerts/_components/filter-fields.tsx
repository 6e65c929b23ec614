import { Autocomplete, Group } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { FormValues } from "./form-values";

/** The model and the label whose calls are measured; empty: all. */
export function FilterFields({ projectId, form }: { projectId: string; form: UseFormReturnType<FormValues> }) {
  const trpc = useTRPC();
  const facets = useQuery(trpc.conversations.facets.queryOptions({ projectId })).data?.facets;
  return (
    <Group grow>
      <Autocomplete
        label="Model"
        placeholder="All"
        data={facets?.models.map(({ value }) => value) ?? []}
        limit={20}
        {...form.getInputProps("model")}
      />
      <Autocomplete
        label="Label"
        placeholder="All"
        data={facets?.labels.map(({ value }) => value) ?? []}
        limit={20}
        {...form.getInputProps("label")}
      />
    </Group>
  );
}
