"use client";
import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC, useTRPCClient } from "@/app/_lib/trpc/client";
import type { ChatPayload } from "@/server/services/datasets/chat-payload/schemas";
import type { Candidate, ReviewCounter } from "@/server/services/datasets/review/schemas";
import { broughtBack, claimed, decided, EMPTY, heldIn, lost, type Queue } from "./queue";
import { peekInput } from "./view";

/** Candidates claimed in addition to the one on screen, so that deciding never waits for the server. */
const AHEAD = 2;
/** How often an empty queue is polled. */
const RETRY_MS = 10_000;
/** A claim ends after ten minutes. */
const RENEW_MS = 4 * 60_000;

export type Decision =
  | { kind: "approve"; payload?: ChatPayload }
  | { kind: "reject"; reason: string }
  | { kind: "skip" };

const isGone = (error: unknown) => [404, 409].includes(problemOf(error).status ?? 0);
const showError = (error: unknown) => notifications.show({ color: "red", message: problemOf(error).detail });

/** Manages a reviewer's candidates: claims them ahead of time, sends decisions in the background, and undoes them. */
export function useReview(projectId: string, datasetId: string | null) {
  const [queue, setQueue] = useState<Queue<Candidate>>(EMPTY);
  const [counter, setCounter] = useState<ReviewCounter | null>(null);
  const enqueue = useRequestsInOrder();
  const { claim, ...reading } = useClaims(projectId, datasetId, queue, setQueue, setCounter, enqueue);
  const { send, undoLast } = useDecisions(projectId, setCounter, enqueue);

  const decide = (decision: Decision) => {
    const candidate = queue.current;
    if (candidate === null) return;
    setQueue((before) => decided(before, decision.kind === "skip"));
    send(candidate, decision).catch((error: unknown) => {
      showError(error);
      // Another reviewer was faster, or it was deleted with its conversation: there is nothing left to decide.
      if (!isGone(error)) setQueue((before) => broughtBack(before, candidate));
    });
  };
  const last = queue.decided.at(-1);
  const undo =
    last &&
    (() => {
      setQueue((before) => broughtBack(before, last.candidate));
      undoLast(last).catch((error: unknown) => {
        showError(error);
        setQueue((before) => lost(before, last.candidate.id));
      });
    });
  const first = useFirst(projectId, datasetId);
  const unread = counter === null && reading.error === null;
  return {
    candidate: queue.current,
    /** The candidate on screen; until the reviewer has claimed it, nothing can be decided. */
    shown: queue.current ?? (unread ? (first?.candidate ?? null) : null),
    ...reading,
    counter: counter ?? first?.counter ?? null,
    empty: reading.empty || (unread && first?.candidate === null),
    decide,
    undo,
  };
}

/** Returns the queue as rendered by the server, before a claim; removes it from the cache, so that a revisit starts fresh. */
function useFirst(projectId: string, datasetId: string | null) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const queryKey = trpc.reviewQueue.peek.queryKey(peekInput(projectId, datasetId));
  const [first] = useState(() => queries.getQueryData(queryKey));
  const drop = useEffectEvent(() => queries.removeQueries({ queryKey, exact: true }));
  useEffect(() => drop(), []);
  return first;
}

type Enqueue = <Reply>(request: () => Promise<Reply>) => Promise<Reply>;

/**
 * Sends requests one after the other: the server's undo reverts the latest decision, and a claim that overtakes a decision
 * would return the candidate that was just decided.
 */
function useRequestsInOrder(): Enqueue {
  const chain = useRef<Promise<unknown>>(Promise.resolve());
  return useCallback((request) => {
    const reply = chain.current.then(request);
    chain.current = reply.catch(() => {});
    return reply;
  }, []);
}

type SetQueue = (update: (queue: Queue<Candidate>) => Queue<Candidate>) => void;

/** Keeps the queue filled, renews its claims, and releases them when the page is left. */
function useClaims(
  projectId: string,
  datasetId: string | null,
  queue: Queue<Candidate>,
  setQueue: SetQueue,
  setCounter: (counter: ReviewCounter) => void,
  enqueue: Enqueue,
) {
  const client = useTRPCClient();
  const [state, setState] = useState<{ error: unknown; empty: boolean }>({ error: null, empty: false });
  const isClaiming = useRef(false);
  const held = useRef<readonly string[]>([]);
  useEffect(() => {
    held.current = heldIn(queue);
  });
  const claim = useCallback(async () => {
    if (isClaiming.current) return;
    isClaiming.current = true;
    try {
      const { candidate, counter } = await enqueue(() =>
        client.reviewQueue.next.mutate({
          projectId,
          holding: [...held.current],
          ...(datasetId === null ? {} : { datasetId }),
        }),
      );
      setCounter(counter);
      if (candidate) setQueue((before) => claimed(before, candidate));
      setState({ error: null, empty: candidate === null });
    } catch (error) {
      setState({ error, empty: false });
    } finally {
      isClaiming.current = false;
    }
  }, [client, projectId, datasetId, setQueue, setCounter, enqueue]);

  const count = heldIn(queue).length;
  useEffect(() => {
    if (count <= AHEAD && !state.empty && state.error === null) void claim();
  }, [count, state, claim]);
  useEffect(() => {
    if (!state.empty) return;
    const timer = setInterval(() => void claim(), RETRY_MS);
    return () => clearInterval(timer);
  }, [state.empty, claim]);
  useEffect(() => {
    const timer = setInterval(() => {
      for (const candidateId of held.current) {
        client.reviewQueue.claim.mutate({ projectId, candidateId }).catch((error: unknown) => {
          if (isGone(error)) setQueue((before) => lost(before, candidateId));
        });
      }
    }, RENEW_MS);
    return () => {
      clearInterval(timer);
      // A candidate that cannot be released becomes free once its claim expires.
      for (const candidateId of held.current)
        void client.reviewQueue.release.mutate({ projectId, candidateId }).catch(() => {});
    };
  }, [client, projectId, setQueue]);
  return { ...state, claim, retry: () => setState({ error: null, empty: false }) };
}

/** Sends decisions, and undoes the latest. */
function useDecisions(projectId: string, setCounter: (counter: ReviewCounter) => void, enqueue: Enqueue) {
  const client = useTRPCClient();
  const trpc = useTRPC();
  const queries = useQueryClient();
  const after = ({ counter }: { counter: ReviewCounter }) => {
    setCounter(counter);
    void queries.invalidateQueries({ queryKey: trpc.reviewQueue.list.queryKey({ projectId, limit: 1 }) });
    void queries.invalidateQueries({ queryKey: trpc.datasets.pathKey() });
  };
  const send = ({ id: candidateId }: Candidate, decision: Decision) =>
    enqueue(async () => {
      const one = { projectId, candidateId };
      if (decision.kind === "skip") return after(await client.reviewQueue.skip.mutate(one));
      if (decision.kind === "reject")
        return after(await client.reviewQueue.reject.mutate({ ...one, reason: decision.reason }));
      const reply = await client.reviewQueue.approve.mutate({
        ...one,
        ...(decision.payload ? { payload: decision.payload } : {}),
      });
      if (reply.outcome.status === "duplicate")
        notifications.show({ message: "The Dataset already has this Example, so the candidate was rejected." });
      return after(reply);
    });
  const undoLast = ({ candidate, skipped }: { candidate: Candidate; skipped: boolean }) =>
    enqueue(async () =>
      after(
        skipped
          ? await client.reviewQueue.claim.mutate({ projectId, candidateId: candidate.id })
          : await client.reviewQueue.undo.mutate({ projectId }),
      ),
    );
  return { send, undoLast };
}
