import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import { useModelConnections } from "./use-model-connections";

/** What can answer: a connection to models, with the one that it names by default, or a running deployment. */
export type Endpoint = {
  /** As the value of a choice. */
  key: string;
  name: string;
  connectionId: string | null;
  deploymentId: string | null;
  model: string | null;
};

/** Which endpoint a stored choice is. */
export const keyOf = ({ connectionId, deploymentId }: Pick<Endpoint, "connectionId" | "deploymentId">) =>
  connectionId === null ? `deployment:${deploymentId}` : `connection:${connectionId}`;

/** The project's connections to models, oldest first, and its running deployments; `undefined` while they are read. */
export function useEndpoints(projectId: string): Endpoint[] | undefined {
  const trpc = useTRPC();
  const connections = useModelConnections(projectId);
  const deployments = useQuery(
    trpc.deployments.list.queryOptions({ projectId, purpose: "service", status: "running", limit: 100 }),
  ).data?.deployments;
  if (connections === undefined || deployments === undefined) return undefined;
  return [
    ...connections.map(({ id, name, defaultModel: model }) => ({ name, connectionId: id, deploymentId: null, model })),
    ...deployments.map(({ id, model }) => ({ name: model, connectionId: null, deploymentId: id, model })),
  ].map((one) => ({ key: keyOf(one), ...one }));
}

/** Endpoints as the groups of a select. */
export const endpointGroups = (endpoints: readonly Endpoint[]) =>
  [
    { group: "Connections", items: endpoints.filter(({ connectionId }) => connectionId !== null) },
    { group: "Deployments", items: endpoints.filter(({ deploymentId }) => deploymentId !== null) },
  ]
    .filter(({ items }) => items.length > 0)
    .map(({ group, items }) => ({ group, items: items.map(({ key, name }) => ({ value: key, label: name })) }));
