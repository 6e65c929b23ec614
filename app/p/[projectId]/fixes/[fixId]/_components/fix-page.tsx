"use client";
import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconCircleCheck } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { WithoutThing } from "@/app/_components/feedback/without-thing";
import { BackLink } from "@/app/_components/layout/back-link";
import { PageBody, PageSection } from "@/app/_components/layout/page-body";
import { PageHeader } from "@/app/_components/layout/page-header";
import { InlineCode } from "@/app/_components/values/inline-code";
import { useListHref } from "@/app/_lib/remember-list";
import { useTRPC } from "@/app/_lib/trpc/client";
import { ESC, useKeys } from "@/app/_lib/use-keys";
import type { Fix } from "@/server/services/diagnostics/fixes/schemas";
import { useMay } from "../../../_components/access/membership";
import { ConfirmDialog } from "../../../_components/confirm/confirm-dialog";
import { FixFigures } from "../../../_components/fixes/fix-figures";
import { FixStanding } from "../../../_components/fixes/fix-standing";

import { pageHref } from "../../../_components/shell/pages";
import { Effects } from "./effects";
import { FixFacts } from "./fix-facts";
import classes from "./fix-page.module.css";

const REFETCH_MS = 60_000;

/** One fix: whether it holds, what it brought, and what else changed with it. */
export function FixPage({ projectId, fixId }: { projectId: string; fixId: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const query = useQuery(trpc.fixes.get.queryOptions({ projectId, fixId }, { refetchInterval: REFETCH_MS }));
  const back = useListHref(pageHref(projectId, "fixes"));
  useKeys({ [ESC]: () => router.push(back) });
  const fix = query.data?.fix;
  if (!fix) {
    const list = { href: pageHref(projectId, "fixes"), label: "All fixes" };
    return <WithoutThing what="Fix" icon={IconCircleCheck} list={list} query={query} />;
  }
  return (
    <>
      <PageHeader
        title={
          <span className={classes.title}>
            <BackLink href={back} label="All fixes" />
            <span className="clip" dir="auto" title={fix.findingTitle}>
              Fix: <InlineCode text={fix.findingTitle} />
            </span>
          </span>
        }
        aside={
          <>
            <Button
              component={Link}
              variant="default"
              href={`${pageHref(projectId, "findings")}/${encodeURIComponent(fix.findingId)}`}
            >
              Open the Finding
            </Button>
            <Stop projectId={projectId} fix={fix} />
          </>
        }
      >
        <FixStanding fix={fix} />
      </PageHeader>
      <PageBody>
        <PageSection title="Does it hold?">
          {fix.measured === null ? (
            <p className={classes.quiet}>
              {fix.startedAt === null
                ? "No conversation has it yet. The first one starts the comparison."
                : "It is measured within the hour."}
            </p>
          ) : (
            <FixFigures measured={fix.measured} />
          )}
        </PageSection>
        <PageSection title="Facts">
          <FixFacts projectId={projectId} fix={fix} />
        </PageSection>
        <PageSection title="What else changed" wide>
          <Effects projectId={projectId} fixId={fixId} />
        </PageSection>
      </PageBody>
    </>
  );
}

function Stop({ projectId, fix }: { projectId: string; fix: Fix }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const may = useMay("diagnostics:write");
  const [stopping, setStopping] = useState(false);
  const stop = useMutation(
    trpc.fixes.stop.mutationOptions({
      onSuccess: () => {
        notifications.show({ message: "Stopped watching the fix" });
        setStopping(false);
      },
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.fixes.pathKey() }),
    }),
  );
  if (!may || fix.endedAt !== null) return null;
  return (
    <>
      <Button variant="default" onClick={() => setStopping(true)}>
        Stop watching…
      </Button>
      <ConfirmDialog
        subject={stopping ? fix : null}
        onClose={() => setStopping(false)}
        title={() => "Stop watching this fix?"}
        says={() => "Its last comparison stays, and is not renewed. The same fix can be watched again."}
        action="Stop watching"
        running={stop}
        onConfirm={({ id }) => stop.mutate({ projectId, fixId: id })}
      />
    </>
  );
}
