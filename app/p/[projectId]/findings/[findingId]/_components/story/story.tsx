"use client";
import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { FindingDetail } from "@/server/services/diagnostics/schemas";
import { useMay } from "../../../../_components/access/membership";
import { fixesInput, proofsInput, ticketsInput, variantsInput } from "../shared-inputs";
import { STEP_STATES, stepsOf } from "./steps";
import classes from "./story.module.css";

const REFETCH_MS = 20_000;

/** From evidence over a fix and its proof to a release that holds: each step with where it stands. */
export function Story({ projectId, finding }: { projectId: string; finding: FindingDetail }) {
  const trpc = useTRPC();
  const findingId = finding.id;
  const mayWork = useMay("workspace:read");
  const proofs = useQuery(trpc.evaluations.list.queryOptions(proofsInput(projectId, findingId), { enabled: mayWork }));
  const variants = useQuery(trpc.variants.list.queryOptions(variantsInput(projectId, findingId), { enabled: mayWork }));
  const fixes = useQuery(
    trpc.fixes.list.queryOptions(fixesInput(projectId, findingId), { refetchInterval: REFETCH_MS }),
  );
  const tickets = useQuery(trpc.workItems.listOfFinding.queryOptions(ticketsInput(projectId, findingId)));
  if (!fixes.data || !tickets.data || (mayWork && (!proofs.data || !variants.data)))
    return <div className={classes.loading} aria-hidden />;
  const steps = stepsOf({
    finding,
    variants: variants.data?.variants ?? [],
    ticket: tickets.data.workItems.find(({ externalKey }) => externalKey !== null)?.externalKey ?? null,
    proof: proofs.data?.evaluations[0] ?? null,
    fix: fixes.data.fixes[0] ?? null,
  });
  return (
    <ol className={classes.steps} aria-label="From evidence to a fix that holds">
      {steps.map(({ name, state, says, anchor }) => (
        <li key={name} className={classes.step} data-state={state}>
          <a href={`#${anchor}`} aria-label={`${name}, ${STEP_STATES[state]}: ${says}`}>
            <span className={classes.name}>{name}</span>
            <span className={classes.says}>{says}</span>
          </a>
        </li>
      ))}
    </ol>
  );
}
