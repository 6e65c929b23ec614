import type { Metadata } from "next";
import { Hydrate, prefetch, trpc } from "@/app/_lib/trpc/server";
import { ExamplePage } from "./_components/example-page";

export const metadata: Metadata = { title: "Example" };

type Params = { projectId: string; datasetId: string; exampleId: string };

export default async function Page({ params }: { params: Promise<Params> }) {
  const { projectId, datasetId, exampleId } = await params;
  await prefetch(trpc.examples.get.queryOptions({ projectId, datasetId, exampleId }));
  return (
    <Hydrate>
      <ExamplePage projectId={projectId} datasetId={datasetId} exampleId={exampleId} />
    </Hydrate>
  );
}
