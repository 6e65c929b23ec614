"use client";
import { useQueryStates } from "nuqs";
import { PageBody, PageSection } from "@/app/_components/layout/page-body";
import { PageHeader } from "@/app/_components/layout/page-header";
import { Backups } from "./backups";
import { Compaction } from "./compaction";
import { DeleteProject } from "./delete-project";
import { Deletions } from "./deletions";
import { GatewayContent } from "./gateway-content";
import { Masking } from "./masking";
import { Receipt } from "./receipt";
import { Retention } from "./retention";
import { StoredSize } from "./stored-size";
import { UserData } from "./user-data";
import { OF_A_USER, viewParsers } from "./view";

export function Data({ projectId }: { projectId: string }) {
  const [{ user, deletion }, setView] = useQueryStates(viewParsers);
  return (
    <>
      <PageHeader title="Data" />
      <PageBody>
        <PageSection title="Stored size">
          <StoredSize projectId={projectId} />
          <Compaction projectId={projectId} />
        </PageSection>
        <PageSection title="Retention">
          <Retention projectId={projectId} />
        </PageSection>
        <PageSection title="Credentials">
          <Masking projectId={projectId} />
        </PageSection>
        <PageSection title="Calls of the gateway">
          <GatewayContent projectId={projectId} />
        </PageSection>
        <PageSection title="Delete a user’s data" anchor={OF_A_USER}>
          <UserData
            projectId={projectId}
            userId={user}
            onLook={(user) => void setView({ user })}
            onRequested={(deletion) => void setView({ user: null, deletion })}
          />
        </PageSection>
        <PageSection title="Deletions" flush>
          <Deletions projectId={projectId} onOpen={(deletion) => void setView({ deletion })} />
        </PageSection>
        <PageSection title="Backups" flush>
          <Backups projectId={projectId} />
        </PageSection>
        <PageSection title="Delete the project">
          <DeleteProject projectId={projectId} />
        </PageSection>
      </PageBody>
      <Receipt projectId={projectId} deletionId={deletion} onClose={() => void setView({ deletion: null })} />
    </>
  );
}
