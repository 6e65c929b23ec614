"use client";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { usePathname, useRouter } from "next/navigation";
import { useEffect, useState } from "react";
import { leavePage } from "@/app/_lib/leave-guard";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import { STOPS } from "./stops";

type Destination = { stop: number; path: string };

/** Leads from stop to stop. `shown` changes once a stop's page is there, so that nothing on the page before is pointed at. */
export function useStops(projectId: string, onShown: (stop: number) => void) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const router = useRouter();
  const pathname = usePathname();
  const [shown, setShown] = useState<number | null>(null);
  const [destination, setDestination] = useState<Destination | null>(null);
  const find = useMutation({
    mutationFn: async (stop: number): Promise<Destination> => ({
      stop,
      path: (await STOPS[stop]?.pathOf({ projectId, trpc, queries })) ?? pathname,
    }),
    onSuccess: (next) =>
      leavePage(() => {
        setDestination(next);
        router.push(next.path);
      }),
    onError: (error) => notifications.show({ color: "red", message: problemOf(error).detail }),
  });
  const arrived = destination !== null && destination.path === pathname ? destination.stop : null;
  useEffect(() => {
    if (arrived === null) return;
    setDestination(null);
    setShown(arrived);
    onShown(arrived);
  }, [arrived, onShown]);
  return {
    shown,
    isMoving: find.isPending || destination !== null,
    goTo: (stop: number) => find.mutate(stop),
    close: () => setShown(null),
  };
}
