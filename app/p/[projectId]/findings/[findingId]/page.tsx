import type { Metadata } from "next";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { Hydrate, prefetch, titled, trpc } from "@/app/_lib/trpc/server";
import { FindingPage } from "./_components/finding-page";
import { occurrencesInput } from "./_components/occurrences-input";
import { fixesInput, ticketsInput } from "./_components/shared-inputs";

type Props = { params: Promise<{ projectId: string; findingId: string }> };

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { projectId, findingId: raw } = await params;
  return titled<RouterOutputs["findings"]["get"]>(
    trpc.findings.get.queryOptions({ projectId, findingId: decodeURIComponent(raw) }),
    ({ finding }) => finding.title,
    "Finding",
  );
}

export default async function Page({ params }: Props) {
  const { projectId, findingId: raw } = await params;
  const findingId = decodeURIComponent(raw);
  await Promise.all([
    prefetch(trpc.findings.get.queryOptions({ projectId, findingId })),
    prefetch(trpc.workItems.listOfFinding.queryOptions(ticketsInput(projectId, findingId))),
    prefetch(trpc.fixes.list.queryOptions(fixesInput(projectId, findingId))),
    prefetch(trpc.findings.timeline.queryOptions({ projectId, findingId })),
    prefetch(trpc.findings.occurrences.infiniteQueryOptions(occurrencesInput(projectId, findingId), nextPage)),
  ]);
  return (
    <Hydrate>
      <FindingPage projectId={projectId} findingId={findingId} />
    </Hydrate>
  );
}
