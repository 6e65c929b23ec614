"use client";
import { DataList, NativeSelect } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Refused } from "@/app/_components/feedback/refused";
import { Ago } from "@/app/_components/values/ago";
import { Fact } from "@/app/_components/values/fact";
import { formatUsd, UNKNOWN } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { FIX_KINDS, type Fix } from "@/server/services/diagnostics/fixes/schemas";
import { useMay } from "../../../_components/access/membership";
import { avoidedWords, endWords, FIX_KIND, releaseWords } from "../../../_components/fixes/words";
import classes from "./fix-page.module.css";

const KINDS = [{ value: "", label: "Not said" }, ...FIX_KINDS.map((value) => ({ value, label: FIX_KIND[value] }))];

/** How a fix went out, what it brought and what it cost. */
export function FixFacts({ projectId, fix }: { projectId: string; fix: Fix }) {
  const avoided = avoidedWords(fix);
  const cost = fix.measured?.cost;
  return (
    <DataList size="xs" gap={6} labelWidth={152}>
      <Fact label="Went out">{releaseWords(fix)}</Fact>
      <Fact label="Changed">
        <Kind projectId={projectId} fix={fix} />
      </Fact>
      <Fact label="Since">{fix.startedAt === null ? UNKNOWN : <Ago at={fix.startedAt} />}</Fact>
      <Fact label="Conversations avoided">{avoided ?? UNKNOWN}</Fact>
      <Fact label="A conversation costs">
        {cost?.before == null || cost.since === null
          ? UNKNOWN
          : `${formatUsd(cost.before)} before, ${formatUsd(cost.since)} since`}
      </Fact>
      <Fact label="Proofs cost">{fix.proofCost === null ? UNKNOWN : formatUsd(fix.proofCost)}</Fact>
      <Fact label="Measured">{fix.measuredAt === null ? UNKNOWN : <Ago at={fix.measuredAt} />}</Fact>
      {fix.endReason === null ? null : <Fact label="No longer watched">{endWords(fix, fix.endReason)}</Fact>}
      {fix.note === "" ? null : <Fact label="Note">{fix.note}</Fact>}
    </DataList>
  );
}

function Kind({ projectId, fix }: { projectId: string; fix: Fix }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const may = useMay("diagnostics:write");
  const update = useMutation(
    trpc.fixes.update.mutationOptions({
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.fixes.pathKey() }),
    }),
  );
  if (!may) return fix.kind === null ? UNKNOWN : FIX_KIND[fix.kind];
  return (
    <>
      <NativeSelect
        className={classes.kind}
        size="xs"
        aria-label="What it changed"
        value={(update.isPending ? update.variables.kind : fix.kind) ?? ""}
        data={KINDS}
        onChange={({ currentTarget: { value } }) =>
          update.mutate({ projectId, fixId: fix.id, kind: FIX_KINDS.find((kind) => kind === value) ?? null })
        }
      />
      <Refused error={update.error} />
    </>
  );
}
