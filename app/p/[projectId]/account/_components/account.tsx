"use client";
import { PageBody, PageSection } from "@/app/_components/layout/page-body";
import { PageHeader } from "@/app/_components/layout/page-header";
import { Activity } from "./activity";
import { Leave } from "./leave";
import { Name } from "./name";
import { Password } from "./password";
import { Sessions } from "./sessions";

export function Account({ projectId }: { projectId: string }) {
  return (
    <>
      <PageHeader title="Account" />
      <PageBody>
        <PageSection title="Name">
          <Name />
        </PageSection>
        <PageSection title="Password">
          <Password />
        </PageSection>
        <PageSection title="Signed-in browsers" flush>
          <Sessions />
        </PageSection>
        <PageSection title="Activity" flush>
          <Activity />
        </PageSection>
        <PageSection title="This project">
          <Leave projectId={projectId} />
        </PageSection>
      </PageBody>
    </>
  );
}
