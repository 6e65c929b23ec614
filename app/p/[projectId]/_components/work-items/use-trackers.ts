import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import { isTracker, type TrackerKind } from "@/server/services/connections/schemas";
import { TRACKER_WORDS } from "./tracker-words";

export type TrackerConnection = { id: string; name: string; kind: TrackerKind };

/** Returns the project's connections to issue trackers, oldest first; those known to have no secret are left out. */
export function useTrackers(projectId: string) {
  const trpc = useTRPC();
  const query = useQuery(trpc.connections.list.queryOptions({ projectId, limit: 500 }));
  const connections = query.data?.connections ?? [];
  const trackers = connections.toReversed().flatMap((one): TrackerConnection[] => {
    const isUsable = !("secretSet" in one) || one.secretSet;
    return isTracker(one.kind) && isUsable ? [{ id: one.id, name: one.name, kind: one.kind }] : [];
  });
  return {
    query,
    trackers,
    options: trackers.map(({ id, name, kind }) => ({ value: id, label: `${name} (${TRACKER_WORDS[kind].label})` })),
    nameOf: (id: string) => connections.find((one) => one.id === id)?.name ?? id,
  };
}
