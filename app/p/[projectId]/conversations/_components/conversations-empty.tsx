import { Button } from "@mantine/core";
import { IconMessages } from "@tabler/icons-react";
import Link from "next/link";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { NoMatch } from "@/app/_components/feedback/no-match";
import { ExploreSample } from "@/app/_components/projects/explore-sample";
import { useProject, useRights } from "../../_components/access/membership";
import { NO_FILTERS } from "./view";

type Props = { projectId: string; filtered: boolean; setView: (view: typeof NO_FILTERS) => unknown };

export function ConversationsEmpty({ projectId, filtered, setView }: Props) {
  if (filtered) {
    return (
      <NoMatch title="No conversation matches" onClear={() => setView(NO_FILTERS)} clear="Clear search and filters">
        There may be others outside this search, these filters or this time range.
      </NoMatch>
    );
  }
  return <NoConversations projectId={projectId} />;
}

function NoConversations({ projectId }: { projectId: string }) {
  const { sample } = useProject();
  const mayLoad = useRights().includes("projects:create");
  if (sample === "loading") {
    return (
      <EmptyState icon={IconMessages} title="The sample is being loaded">
        Its conversations appear here in a few seconds.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={IconMessages}
      title="No conversations yet"
      action={
        <>
          <Button component={Link} href={`/p/${projectId}/send-a-trace`}>
            Send your first trace
          </Button>
          {sample === null && mayLoad ? <ExploreSample /> : null}
        </>
      }
    >
      Your application’s conversations appear here, with their cost and what went wrong, seconds after it sends
      OpenTelemetry traces.
    </EmptyState>
  );
}
