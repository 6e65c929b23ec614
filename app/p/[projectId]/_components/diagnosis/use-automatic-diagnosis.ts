import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";

/** Returns the mutation that turns automatic diagnosis on or off. */
export function useAutomaticDiagnosis() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  return useMutation(
    trpc.diagnosticSettings.update.mutationOptions({
      onSuccess: async () => {
        await queries.invalidateQueries({ queryKey: trpc.diagnosticSettings.pathKey() });
        void queries.invalidateQueries({ queryKey: trpc.diagnostics.pathKey() });
      },
    }),
  );
}
