"use client";
import { notifications } from "@mantine/notifications";
import { hashKey, useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useRef } from "react";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import { type Capability, type InstallationRight, ROLE_CAPABILITIES, type Role } from "@/server/platform/capabilities";
import type { ShellProject } from "../shell/shell-data";
import { AccessLost, SignedOut } from "./access-lost";
import { ROLE_WORDS } from "./role-words";

/** An open page must notice within five seconds, round trip included. */
const POLL_MS = 3000;
/** Refusals that trigger an immediate check: signed out, no longer allowed, no longer found. */
const ACCESS_STATUSES = new Set<number | null>([401, 403, 404]);

type Known = { project: ShellProject; projects: ShellProject[]; rights: readonly InstallationRight[] };
const Membership = createContext<Known | null>(null);

function useMembership(): Known {
  const known = useContext(Membership);
  if (!known) throw new Error("This is for the pages of a project.");
  return known;
}

/** Returns every project of the reader, live. */
export const useProjects = () => useMembership().projects;
export const useProject = () => useMembership().project;
/** Returns what the reader may do outside any project. */
export const useRights = () => useMembership().rights;
export const useRole = (): Role => useMembership().project.role;
/** Returns whether the reader has a capability. The server decides; checking here only avoids a refusal. */
export const useMay = (capability: Capability) => ROLE_CAPABILITIES[useRole()].includes(capability);

/** Returns the reader's projects: what the server rendered, until the first poll. */
function useLiveProjects(first: ShellProject[]) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const list = useQuery(
    trpc.projects.list.queryOptions(undefined, { refetchInterval: POLL_MS, refetchOnWindowFocus: "always" }),
  );
  const own = hashKey(trpc.projects.list.queryKey());
  const { refetch } = list;
  useEffect(() => {
    const refetchAfter = (error: unknown) => void (ACCESS_STATUSES.has(problemOf(error).status) && refetch());
    const ends = [
      queries.getQueryCache().subscribe((event) => {
        if (event.type === "updated" && event.action.type === "error" && event.query.queryHash !== own)
          refetchAfter(event.action.error);
      }),
      queries.getMutationCache().subscribe((event) => {
        if (event.type === "updated" && event.action.type === "error") refetchAfter(event.action.error);
      }),
    ];
    return () => {
      for (const end of ends) end();
    };
  }, [queries, own, refetch]);
  return {
    projects: list.isFetchedAfterMount && list.data ? list.data.projects : first,
    signedOut: problemOf(list.error).status === 401,
    /** Drops data that was loaded for a role the reader no longer has, or reloads it. */
    forget: () => queries.removeQueries({ predicate: (query) => query.queryHash !== own }),
    reload: () => queries.invalidateQueries({ predicate: (query) => query.queryHash !== own }),
  };
}

type Props = {
  projectId: string;
  projects: ShellProject[];
  rights: readonly InstallationRight[];
  children: ReactNode;
};

/**
 * Polls the reader's role in this project and provides it to the pages below. Once removed, the reader no longer sees
 * anything in the project, even on a page that was already open.
 */
export function MembershipProvider({ projectId, projects: first, rights, children }: Props) {
  const { projects, signedOut, forget, reload } = useLiveProjects(first);
  const project = projects.find(({ id }) => id === projectId);
  const before = useRef(project);
  const gone = signedOut || !project;
  useEffect(() => {
    const was = before.current;
    if (gone) {
      notifications.clean();
      forget();
    } else if (was && was.role !== project.role) {
      void reload();
      notifications.show({ message: `You are now ${ROLE_WORDS[project.role].one} in ${project.name}.` });
    }
    if (project) before.current = project;
  });
  if (signedOut) return <SignedOut />;
  if (!project) return <AccessLost name={first.find(({ id }) => id === projectId)?.name} />;
  return <Membership value={{ project, projects, rights }}>{children}</Membership>;
}
