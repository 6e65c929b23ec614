"use client";
import { PageBody, PageSection } from "@/app/_components/layout/page-body";
import { PageHeader } from "@/app/_components/layout/page-header";
import { Adjudicator } from "./adjudicator";
import { AutomaticDiagnosis } from "./automatic-diagnosis";
import { ProjectName } from "./project-name";
import { ShareLinks } from "./share-links";
import { SharedList } from "./shared-list";

export function Settings({ projectId }: { projectId: string }) {
  return (
    <>
      <PageHeader title="Settings" />
      <PageBody>
        <PageSection title="Project">
          <ProjectName projectId={projectId} />
        </PageSection>
        <PageSection title="Diagnosis">
          <AutomaticDiagnosis projectId={projectId} />
        </PageSection>
        <PageSection title="Adjudicator">
          <Adjudicator projectId={projectId} />
        </PageSection>
        <PageSection title="Sharing">
          <ShareLinks projectId={projectId} />
        </PageSection>
        <SharedList projectId={projectId} />
      </PageBody>
    </>
  );
}
