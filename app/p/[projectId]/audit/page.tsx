import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { OnlyFor } from "../_components/access/only-for";
import { AuditLog } from "./_components/audit-log";
import { listInput, loadView } from "./_components/view";

export const metadata: Metadata = { title: "Audit log" };

type Props = { params: Promise<{ projectId: string }>; searchParams: Promise<Record<string, string | string[]>> };

export default async function AuditPage({ params, searchParams }: Props) {
  const { projectId } = await params;
  const { open } = await searchParams;
  if (typeof open === "string") redirect(`/p/${encodeURIComponent(projectId)}/audit?peek=${encodeURIComponent(open)}`);
  const view = await loadView(searchParams);
  const now = Date.now();
  await prefetch(trpc.audit.list.infiniteQueryOptions(listInput(projectId, view, now), nextPage));
  return (
    <Hydrate>
      <OnlyFor capability="project:admin" title="Audit log">
        <AuditLog projectId={projectId} openedAt={now} />
      </OnlyFor>
    </Hydrate>
  );
}
