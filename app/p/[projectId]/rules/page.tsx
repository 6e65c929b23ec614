import type { Metadata } from "next";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { Rules } from "./_components/rules";

export const metadata: Metadata = { title: "Rules" };

export default async function RulesPage({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  await prefetch(trpc.rules.list.queryOptions({ projectId }));
  return (
    <Hydrate>
      <Rules projectId={projectId} />
    </Hydrate>
  );
}
