import type { Metadata } from "next";
import { headers } from "next/headers";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { originOf } from "@/server/auth/origin";
import { OnlyFor } from "../_components/access/only-for";
import { Aliases } from "./_components/aliases";

export const metadata: Metadata = { title: "Gateway" };

export default async function GatewayPage({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await Promise.all([
    prefetch(trpc.gatewayAliases.list.infiniteQueryOptions({ projectId }, nextCursorPage)),
    prefetch(trpc.connections.list.queryOptions({ projectId })),
  ]);
  return (
    <Hydrate>
      <OnlyFor capability="workspace:read" title="Gateway">
        <Aliases projectId={projectId} origin={originOf(await headers())} />
      </OnlyFor>
    </Hydrate>
  );
}
