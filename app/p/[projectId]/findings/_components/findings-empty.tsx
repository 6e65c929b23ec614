"use client";
import { Button, Loader } from "@mantine/core";
import { IconCircleCheck, IconHourglass, IconMessages, IconPlayerPause } from "@tabler/icons-react";
import Link from "next/link";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { NoMatch } from "@/app/_components/feedback/no-match";
import { useNow } from "@/app/_components/values/now";
import { plural } from "@/app/_lib/format";
import { coverageOf, type DiagnosticsStatus, inactiveFor } from "./coverage-note";
import { NO_FILTERS, type View } from "./view";

type Props = {
  projectId: string;
  tab: View["tab"];
  filtered: boolean;
  status: DiagnosticsStatus | undefined;
  setView: (view: Partial<View>) => unknown;
};
type OfStatus = { projectId: string; status: DiagnosticsStatus };

const ELSEWHERE: Partial<Record<View["tab"], string>> = {
  open: "No confirmed Finding is open.",
  regressed: "No resolved Finding has come back.",
  escalating: "No Finding is clearly more frequent than before.",
  resolved: "No Finding is marked resolved.",
  dismissed: "No Finding is dismissed.",
};

/** Explains why the list is empty: nothing sent, off, never run, still running, filtered, or clean. */
export function FindingsEmpty({ projectId, tab, filtered, status, setView }: Props) {
  const showAll = (
    <Button variant="default" onClick={() => setView({ tab: "all" })}>
      Show all Findings
    </Button>
  );
  if (filtered) {
    return (
      <NoMatch title="No Finding matches" onClear={() => setView(NO_FILTERS)}>
        There may be others outside these filters or this time range.
      </NoMatch>
    );
  }
  if (ELSEWHERE[tab]) {
    return (
      <EmptyState icon={IconCircleCheck} title="Nothing here" action={showAll}>
        {ELSEWHERE[tab]}
      </EmptyState>
    );
  }
  if (!status) return null;
  if (status.conversations === 0) return <NothingSent projectId={projectId} status={status} />;
  if (status.runsWaiting > 0) return <StillReading projectId={projectId} status={status} />;
  if (status.conversationsRead === 0) return <NothingRead projectId={projectId} status={status} />;
  return tab === "review" ? (
    <Clean title="Nothing left to review" status={status} action={showAll} />
  ) : (
    <Clean
      title="No Findings: clean so far"
      status={status}
      action={
        <Button variant="default" component={Link} href={`/p/${projectId}/rule-runs`}>
          View Rule Runs
        </Button>
      }
    />
  );
}

const NothingSent = ({ projectId, status }: OfStatus) => (
  <EmptyState
    icon={IconMessages}
    title="No Findings yet: no conversations to check"
    action={
      <Button component={Link} href={`/p/${projectId}/send-a-trace`}>
        Send your first trace
      </Button>
    }
  >
    A Finding is one cause of failures, with every conversation that shows it. Rules check each conversation once it has
    been {inactiveFor(status)}.
  </EmptyState>
);

function StillReading({ projectId, status }: OfStatus) {
  const now = useNow();
  return (
    <EmptyState
      icon={IconHourglass}
      title="No Findings yet: still checking"
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
      {coverageOf(status, now)}. This page updates automatically.
    </EmptyState>
  );
}

function NothingRead({ projectId, status }: OfStatus) {
  const off = !status.automaticSchedulingEnabled;
  return (
    <EmptyState
      icon={off ? IconPlayerPause : IconHourglass}
      title={off ? "Automatic diagnosis is off" : "No Findings yet: nothing checked so far"}
      action={
        <Button
          component={Link}
          href={`/p/${projectId}/${off ? "settings" : "conversations"}`}
          variant={off ? "filled" : "default"}
        >
          {off ? "Turn it on in Settings" : "View conversations"}
        </Button>
      }
    >
      {plural(status.conversations, "conversation")} here, none checked yet.{" "}
      {off
        ? "Rules run only on request."
        : `Rules start automatically once a conversation has been ${inactiveFor(status)}.`}
    </EmptyState>
  );
}

type CleanProps = { title: string; status: DiagnosticsStatus; action: React.ReactNode };

function Clean({ title, status, action }: CleanProps) {
  const now = useNow();
  return (
    <EmptyState icon={IconCircleCheck} title={title} action={action}>
      {coverageOf(status, now)}.
      {status.automaticSchedulingEnabled ? "" : " Automatic diagnosis is off: new conversations are not checked."}
    </EmptyState>
  );
}
