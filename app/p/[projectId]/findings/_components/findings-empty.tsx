"use client";
import { Button, Loader } from "@mantine/core";
import { IconCircleCheck, IconFilterOff, IconHourglass, IconMessages, IconPlayerPause } from "@tabler/icons-react";
import Link from "next/link";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { useNow } from "@/app/_components/values/now";
import { plural } from "@/app/_lib/format";
import { coverageOf, type DiagnosticsStatus } from "./coverage-note";
import { NO_FILTERS, type View } from "./view";

type Props = {
  projectId: string;
  tab: View["tab"];
  filtered: boolean;
  status: DiagnosticsStatus | undefined;
  setView: (view: Partial<View>) => unknown;
};

const ELSEWHERE: Partial<Record<View["tab"], string>> = {
  open: "No Finding is confirmed and still open.",
  regressed: "No resolved Finding has come back.",
  resolved: "No Finding is marked resolved.",
  dismissed: "No Finding is dismissed.",
};

/** An empty list says why: nothing sent, off, never run, still running, filtered, or clean. */
export function FindingsEmpty({ projectId, tab, filtered, status, setView }: Props) {
  const now = useNow();
  const icon = { size: 32, stroke: 1.5, "aria-hidden": true } as const;
  if (filtered) {
    return (
      <EmptyState
        icon={<IconFilterOff {...icon} />}
        title="No Finding matches"
        action={
          <Button variant="default" onClick={() => setView(NO_FILTERS)}>
            Clear filters
          </Button>
        }
      >
        There may be others outside these filters or this time range.
      </EmptyState>
    );
  }
  if (ELSEWHERE[tab]) {
    return (
      <EmptyState
        icon={<IconCircleCheck {...icon} />}
        title="Nothing here"
        action={
          <Button variant="default" onClick={() => setView({ tab: "all" })}>
            Show all Findings
          </Button>
        }
      >
        {ELSEWHERE[tab]}
      </EmptyState>
    );
  }
  if (!status) return null;
  if (status.conversations === 0) {
    return (
      <EmptyState
        icon={<IconMessages {...icon} />}
        title="No Findings yet: no conversations to read"
        action={
          <Button component={Link} href={`/p/${projectId}/send-a-trace`}>
            Send your first trace
          </Button>
        }
      >
        A Finding is one cause of trouble with every conversation that shows it. The Rules read each conversation once
        it has been quiet for a while.
      </EmptyState>
    );
  }
  if (status.runsWaiting > 0) {
    return (
      <EmptyState
        icon={<IconHourglass {...icon} />}
        title="No Findings yet: still reading"
        action={
          <Button
            component={Link}
            href={`/p/${projectId}/rule-runs`}
            variant="default"
            leftSection={<Loader size={12} />}
          >
            {plural(status.runsWaiting, "Rule Run")} waiting
          </Button>
        }
      >
        {coverageOf(status, now)}. This page fills by itself.
      </EmptyState>
    );
  }
  if (status.conversationsRead === 0) {
    const off = !status.automaticSchedulingEnabled;
    return (
      <EmptyState
        icon={off ? <IconPlayerPause {...icon} /> : <IconHourglass {...icon} />}
        title={off ? "Automatic diagnosis is off" : "No Findings yet: nothing was read so far"}
        action={
          <Button
            component={Link}
            href={`/p/${projectId}/${off ? "settings" : "conversations"}`}
            variant={off ? "filled" : "default"}
          >
            {off ? "Turn it on in Settings" : "Look at the conversations"}
          </Button>
        }
      >
        {plural(status.conversations, "conversation")} here, none read by the Rules yet.{" "}
        {off
          ? "Turned off, Rules read only what you ask for."
          : "They start by themselves once a conversation has been quiet for a while."}
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<IconCircleCheck {...icon} />}
      title={tab === "review" ? "Nothing left to review" : "No Findings: clean so far"}
      action={
        tab === "review" ? (
          <Button variant="default" onClick={() => setView({ tab: "all" })}>
            Show all Findings
          </Button>
        ) : (
          <Button variant="default" component={Link} href={`/p/${projectId}/rule-runs`}>
            See the Rule Runs
          </Button>
        )
      }
    >
      {coverageOf(status, now)}.
      {status.automaticSchedulingEnabled ? "" : " Automatic diagnosis is off: new conversations are not read."}
    </EmptyState>
  );
}
