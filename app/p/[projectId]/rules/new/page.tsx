import type { Metadata } from "next";
import { OnlyFor } from "../../_components/access/only-for";
import { NewRule } from "../_components/describe/new-rule";

export const metadata: Metadata = { title: "Describe a Rule" };

export default async function NewRulePage({ params }: { params: Promise<{ projectId: string }> }) {
  const { projectId } = await params;
  return (
    <OnlyFor capability="diagnostics:write" title="Describe a Rule">
      <NewRule projectId={projectId} />
    </OnlyFor>
  );
}
