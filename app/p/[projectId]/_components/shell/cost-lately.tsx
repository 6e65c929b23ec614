import { VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { AtLeast } from "@/app/p/[projectId]/_components/costs/cost-total";
import { costsInput } from "../../costs/_components/view";
import classes from "./shell.module.css";

const FRESH_MS = 300_000;
const LATELY = { by: "model", range: "30d", from: null, to: null } as const;

/** What the project's model calls of the last 30 days cost, once that is known; beside the way to all of it. */
export function CostLately({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const [now] = useState(Date.now);
  const { data } = useQuery(
    // Its own question, not that of the page: a query that is known around a page is not in the page's first HTML.
    trpc.costs.get.queryOptions(
      { ...costsInput(projectId, LATELY, now), top: 1 },
      { staleTime: FRESH_MS, retry: false },
    ),
  );
  const total = data?.costs.total;
  if (total === undefined || total.cost === null) return null;
  const without = total.costComplete ? "" : `, without ${plural(total.unpricedCalls, "unpriced call")}`;
  return (
    <span className={classes.lately}>
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
