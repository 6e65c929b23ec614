import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import { checkpointWords } from "../../_components/serving/deploy-fields";

/** Names the newest checkpoints of the project. */
export function useCheckpointNames(projectId: string) {
  const trpc = useTRPC();
  const list = useQuery(trpc.checkpoints.list.queryOptions({ projectId, limit: 100 })).data?.checkpoints ?? [];
  const names = new Map(list.map((one) => [one.id, checkpointWords(one)]));
  return (id: string) => names.get(id);
}
