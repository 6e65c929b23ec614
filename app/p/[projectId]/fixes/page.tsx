import type { Metadata } from "next";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { Fixes } from "./_components/fixes";

export const metadata: Metadata = { title: "Fixes" };

export default async function FixesPage({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await prefetch(trpc.fixes.list.infiniteQueryOptions({ projectId }, nextCursorPage));
  return (
    <Hydrate>
      <Fixes projectId={projectId} />
    </Hydrate>
  );
}
