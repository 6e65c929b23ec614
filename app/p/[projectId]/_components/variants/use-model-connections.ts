import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";

/** A connection to models, with the one that it names by default. */
export type ModelConnection = { id: string; name: string; defaultModel: string | null };

/** The project's connections to models, oldest first; `undefined` while they are read. */
export function useModelConnections(projectId: string): ModelConnection[] | undefined {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.connections.list.queryOptions({ projectId }));
  return data?.connections
    .filter(({ kind }) => kind === "model")
    .toReversed()
    .map((one) => ({ id: one.id, name: one.name, defaultModel: defaultModelOf(one) }));
}

/** Settings are only for members who manage connections. */
const defaultModelOf = (connection: object): string | null =>
  (connection as { settings?: { defaultModel?: string | null } }).settings?.defaultModel ?? null;
