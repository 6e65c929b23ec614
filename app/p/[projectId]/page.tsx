import type { Metadata } from "next";
import { headers } from "next/headers";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { originOf } from "@/server/auth/origin";
import { Home } from "./_components/home/home";

export const metadata: Metadata = { title: "Home" };

export default async function HomePage({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await Promise.all([
    prefetch(trpc.home.get.queryOptions({ projectId })),
    prefetch(trpc.pinnedCharts.list.queryOptions({ projectId })),
  ]);
  return (
    <Hydrate>
      <Home projectId={projectId} endpoint={`${originOf(await headers())}/v1/otlp`} />
    </Hydrate>
  );
}
