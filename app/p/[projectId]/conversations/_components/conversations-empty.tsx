import { Button } from "@mantine/core";
import { IconMessages, IconSearchOff } from "@tabler/icons-react";
import Link from "next/link";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { ExploreSample } from "@/app/_components/projects/explore-sample";
import { useProject, useRights } from "../../_components/access/membership";
import { NO_FILTERS } from "./view";

type Props = { projectId: string; filtered: boolean; setView: (view: typeof NO_FILTERS) => unknown };

export function ConversationsEmpty({ projectId, filtered, setView }: Props) {
  if (filtered) {
    return (
      <EmptyState
        icon={<IconSearchOff size={32} stroke={1.5} aria-hidden />}
        title="No conversation matches"
        action={
          <Button variant="default" onClick={() => setView(NO_FILTERS)}>
            Clear search and filters
          </Button>
        }
      >
        There may be others outside this search, these filters or this time range.
      </EmptyState>
    );
  }
  return <NoConversations projectId={projectId} />;
}

function NoConversations({ projectId }: { projectId: string }) {
  const { sample } = useProject();
  const mayLoad = useRights().includes("projects:create");
  const icon = <IconMessages size={32} stroke={1.5} aria-hidden />;
  if (sample === "loading") {
    return (
      <EmptyState icon={icon} title="The sample is being loaded">
        Its conversations appear here in a few seconds.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={icon}
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
