import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Variant } from "@/server/services/proof/variants/schemas";
import { useMay } from "../access/membership";
import { useModelConnections } from "./use-model-connections";

/**
 * What can answer: a connection to models, with the one that it names by default, a running deployment, or a base model that a
 * trainer serves while it is asked.
 */
export type Endpoint = Pick<Variant, "connectionId" | "deploymentId" | "baseModel"> & {
  /** As the value of a choice. */
  key: string;
  name: string;
  model: string | null;
};

/** Which endpoint a stored choice is. */
export const keyOf = ({ connectionId, deploymentId, baseModel }: Omit<Endpoint, "key" | "name" | "model">) =>
  connectionId !== null
    ? `connection:${connectionId}`
    : baseModel === null
      ? `deployment:${deploymentId}`
      : `base:${baseModel.source}:${baseModel.id}`;

const NONE = { connectionId: null, deploymentId: null, baseModel: null };

/** The project's connections to models, oldest first, and its running deployments; `undefined` while they are read. */
export function useEndpoints(projectId: string): Endpoint[] | undefined {
  const trpc = useTRPC();
  const connections = useModelConnections(projectId);
  const deployments = useQuery(
    trpc.deployments.list.queryOptions({ projectId, purpose: "service", status: "running", limit: 100 }),
  ).data?.deployments;
  if (connections === undefined || deployments === undefined) return undefined;
  return [
    ...connections.map(({ id, name, defaultModel: model }) => ({ ...NONE, name, connectionId: id, model })),
    ...deployments.map(({ id, model }) => ({ ...NONE, name: model, deploymentId: id, model })),
  ].map((one) => ({ key: keyOf(one), ...one }));
}

/** The base models that an attached trainer may serve for the user; `undefined` while they are read. */
export function useBaseModels(projectId: string): Endpoint[] | undefined {
  const trpc = useTRPC();
  const may = useMay("project:models:manage");
  const trainers = useQuery(trpc.trainers.list.queryOptions({ projectId }, { enabled: may })).data?.trainers;
  const isServed = trainers !== undefined && trainers.length > 0;
  const models = useQuery(trpc.baseModels.list.queryOptions({ projectId }, { enabled: isServed })).data?.baseModels;
  if (!may || trainers?.length === 0) return [];
  return models
    ?.map(({ id, revision, source }) => ({ ...NONE, name: id, baseModel: { id, revision, source }, model: id }))
    .map((one) => ({ key: keyOf(one), ...one }));
}

/** Endpoints as the groups of a select. */
export const endpointGroups = (endpoints: readonly Endpoint[]) =>
  [
    { group: "Connections", items: endpoints.filter(({ connectionId }) => connectionId !== null) },
    { group: "Deployments", items: endpoints.filter(({ deploymentId }) => deploymentId !== null) },
    { group: "Base models", items: endpoints.filter(({ baseModel }) => baseModel !== null) },
  ]
    .filter(({ items }) => items.length > 0)
    .map(({ group, items }) => ({ group, items: items.map(({ key, name }) => ({ value: key, label: name })) }));
