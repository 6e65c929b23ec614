import type { Metadata } from "next";
import { ExampleEditor } from "../[exampleId]/_components/example-editor";

export const metadata: Metadata = { title: "New Example" };

export default async function Page({ params }: { params: Promise<{ projectId: string; datasetId: string }> }) {
  const { projectId, datasetId } = await params;
  return <ExampleEditor projectId={projectId} datasetId={datasetId} example={null} />;
}
