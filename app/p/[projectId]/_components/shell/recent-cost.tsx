import { VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { AtLeast } from "@/app/p/[projectId]/_components/costs/cost-total";
import { costsInput } from "../../costs/_components/view";
import classes from "./shell.module.css";

const STALE_TIME_MS = 300_000;
const RECENT = { by: "model", range: "30d", from: null, to: null } as const;

/** The cost of the project's model calls in the last 30 days, once loaded, next to the link to the page. */
export function RecentCost({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const [now] = useState(Date.now);
  const { data } = useQuery(
    // A separate query from the page's: one shared with the layout would be missing from the page's first HTML.
    trpc.costs.get.queryOptions(
      { ...costsInput(projectId, RECENT, now), top: 1 },
      { staleTime: STALE_TIME_MS, retry: false },
    ),
  );
  const total = data?.costs.total;
  if (total === undefined || total.cost === null) return null;
  const without = total.costComplete ? "" : `, excluding ${plural(total.unpricedCalls, "unpriced call")}`;
  return (
    <span className={classes.recent}>
      <AtLeast
        usd={total.cost}
        exact={total.exactCost}
        unpriced={total.unpricedCalls}
        note={`in the last 30 days (UTC)${without}`}
      />
      <VisuallyHidden>{without}</VisuallyHidden>
    </span>
  );
}
