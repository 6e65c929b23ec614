"use client";
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Ago } from "@/app/_components/values/ago";
import { InlineCode } from "@/app/_components/values/inline-code";
import { plural } from "@/app/_lib/format";
import { type RouterOutputs, useTRPC } from "@/app/_lib/trpc/client";
import classes from "./send-a-trace.module.css";

type Refusal = RouterOutputs["telemetry"]["refusals"]["refusals"][number];

const POLL_MS = 3000;
const FROM: Record<Refusal["from"], string> = {
  project: "",
  own_network: " from your network",
  elsewhere: " that named no project",
};

/** What was refused in the last hour, why, and what its sender has to change; nothing if nothing was. */
export function Refused({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const refusals = useQuery(
    trpc.telemetry.refusals.queryOptions(
      { projectId },
      { refetchInterval: POLL_MS, refetchIntervalInBackground: true, staleTime: 0 },
    ),
  ).data?.refusals;
  if (!refusals?.length) return null;
  return (
    <section id="refused" className={classes.refused} aria-label="Refused in the last hour">
      <Text size="sm" fw={500}>
        Refused in the last hour
      </Text>
      <ul className={classes.facts}>
        {refusals.map(({ reason, from, what, remedy, count, lastAt }) => (
          <li key={`${reason} ${from}`}>
            {plural(count, "request")} {what}
            {FROM[from]}, <Ago at={lastAt} />.{" "}
            <span className={classes.remedy}>
              <InlineCode text={remedy} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
