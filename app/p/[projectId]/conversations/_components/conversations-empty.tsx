import { Button } from "@mantine/core";
import { IconMessages, IconSearchOff } from "@tabler/icons-react";
import Link from "next/link";
import { EmptyState } from "@/app/_components/feedback/empty-state";
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
  return (
    <EmptyState
      icon={<IconMessages size={32} stroke={1.5} aria-hidden />}
      title="No conversations yet"
      action={
        <Button component={Link} href={`/p/${projectId}/send-a-trace`}>
          Send your first trace
        </Button>
      }
    >
      Your application’s conversations appear here, with their cost and what went wrong, seconds after it sends
      OpenTelemetry traces.
    </EmptyState>
  );
}
