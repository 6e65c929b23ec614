"use client";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useTRPC } from "@/app/_lib/trpc/client";

/** Loads the sample project, or finds the one that the reader has loaded, and opens it. */
export function useLoadSample() {
  const trpc = useTRPC();
  const router = useRouter();
  return useMutation(
    trpc.sample.load.mutationOptions({
      onSuccess: ({ project }) => {
        router.push(`/p/${project.id}`);
        router.refresh();
      },
    }),
  );
}
