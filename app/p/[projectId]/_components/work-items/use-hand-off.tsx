"use client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ActionDone } from "@/app/_components/data-table/types";
import { InlineCode } from "@/app/_components/values/inline-code";
import { plural, quoted } from "@/app/_lib/format";
import { type RouterOutputs, useTRPC } from "@/app/_lib/trpc/client";
import { TRACKER_WORDS } from "./tracker-words";
import type { TrackerConnection } from "./use-trackers";

type NamedFinding = { id: string; title: string };
export type HandOffSubject = {
  findings: readonly NamedFinding[];
  /** The linked work item that the new one replaces, by default in the same destination. */
  replaces?: { workItemId: string; key: string | null; connectionId: string; destination: string };
};

/** Returns a function that creates tickets; `onDone` gets the text of its toast. */
export function useHandOff(projectId: string, onDone: (done: ActionDone) => void) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const onSettled = () => {
    void queries.invalidateQueries({ queryKey: trpc.workItems.pathKey() });
    return queries.invalidateQueries({ queryKey: trpc.findings.pathKey() });
  };
  const create = useMutation(trpc.workItems.create.mutationOptions({ onSettled }));
  const replace = useMutation(trpc.workItems.replace.mutationOptions({ onSettled }));
  const createMany = useMutation(trpc.workItems.createMany.mutationOptions({ onSettled }));
  const all = [create, replace, createMany];

  const send = ({ findings, replaces }: HandOffSubject, { id: connectionId, kind }: TrackerConnection, to: string) => {
    for (const one of all) one.reset();
    const where = { projectId, provider: kind, connectionId, destination: to };
    const [only] = findings;
    const toOne = {
      onSuccess: ({ workItem }: RouterOutputs["workItems"]["create"]) => onDone({ said: saidOfOne(workItem, only) }),
    };
    if (findings.length !== 1 || only === undefined) {
      const findingIds = findings.map(({ id }) => id);
      createMany.mutate(
        { ...where, findingIds },
        { onSuccess: ({ results }) => onDone(saidOfMany(results, findings, TRACKER_WORDS[kind].label)) },
      );
    } else if (replaces) {
      replace.mutate({ ...where, findingId: only.id, workItemId: replaces.workItemId }, toOne);
    } else {
      create.mutate({ ...where, findingId: only.id }, toOne);
    }
  };
  return {
    send,
    error: all.find(({ error }) => error)?.error ?? null,
    isPending: all.some(({ isPending }) => isPending),
  };
}

type Made = RouterOutputs["workItems"]["create"]["workItem"];

function saidOfOne(made: Made, finding: NamedFinding | undefined) {
  const name = finding ? <InlineCode text={quoted(finding.title)} /> : null;
  const key = "externalKey" in made ? made.externalKey : null;
  return key === null ? (
    <>Queued the ticket for {name}: the tracker has not replied yet</>
  ) : (
    <>
      Handed off {name} as {key}
    </>
  );
}

type Result = RouterOutputs["workItems"]["createMany"]["results"][number];

function saidOfMany(results: readonly Result[], findings: readonly NamedFinding[], tracker: string): ActionDone {
  const problems = results.filter(({ problem }) => problem !== null);
  const queued = `Queued ${plural(results.length - problems.length, "ticket")} in ${tracker}`;
  if (problems.length === 0) return { said: queued };
  const titleOf = (findingId: string) => findings.find(({ id }) => id === findingId)?.title ?? findingId;
  return {
    stays: true,
    said: (
      <>
        {queued}. {plural(problems.length, "Finding")} left out:
        <ul style={{ margin: "0.25rem 0 0", paddingInlineStart: "1.25rem" }}>
          {problems.map(({ findingId, problem }) => (
            <li key={findingId}>
              <InlineCode text={quoted(titleOf(findingId))} />: {problem}
            </li>
          ))}
        </ul>
      </>
    ),
  };
}
