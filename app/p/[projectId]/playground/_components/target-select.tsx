"use client";
import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import { checkpointWords } from "../../_components/serving/deploy-fields";
import { isUsable } from "../../_components/training/is-usable";
import { type Target, targetIn, targetText } from "./view";

type Props = { projectId: string; label: string; value: Target | null; onChange: (target: Target | null) => void };

/** Chooses a pane's model: a running deployment, a checkpoint or a base model. */
export function TargetSelect({ projectId, label, value, onChange }: Props) {
  const trpc = useTRPC();
  const deployments = useQuery(
    trpc.deployments.list.queryOptions({ projectId, purpose: "service", status: "running", limit: 100 }),
  ).data?.deployments;
  const checkpoints = useQuery(trpc.checkpoints.list.queryOptions({ projectId, limit: 100 })).data?.checkpoints;
  const models = useQuery(trpc.baseModels.list.queryOptions({ projectId })).data?.baseModels;
  const groups = [
    {
      group: "Deployments",
      items: deployments?.map(({ id, model }) => ({ value: `deployment:${id}`, label: model })) ?? [],
    },
    {
      group: "Checkpoints",
      items:
        checkpoints?.filter(isUsable).map((one) => ({ value: `checkpoint:${one.id}`, label: checkpointWords(one) })) ??
        [],
    },
    {
      group: "Base models",
      items: [...new Set(models?.map(({ id }) => id))].map((id) => ({ value: `base:${id}`, label: id })),
    },
  ];
  const text = value === null ? null : targetText(value);
  const known = groups.some(({ items }) => items.some((item) => item.value === text));
  return (
    <Select
      aria-label={label}
      placeholder="Choose a model"
      searchable
      nothingFoundMessage="No model matches."
      style={{ flex: 1, minWidth: 0 }}
      value={text}
      onChange={(chosen) => onChange(chosen === null ? null : targetIn(chosen))}
      data={
        known || value === null || text === null
          ? groups
          : [...groups, { group: "Chosen", items: [{ value: text, label: value.id }] }]
      }
    />
  );
}
