"use client";
import { Anchor } from "@mantine/core";
import { IconGitCommit, IconGitPullRequest } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Ago } from "@/app/_components/values/ago";
import { type RouterOutputs, useTRPC } from "@/app/_lib/trpc/client";
import classes from "../finding-page.module.css";
import type { WorkItem } from "./ticket-words";

type Reference = RouterOutputs["workItems"]["references"]["references"][number];

const KINDS: Record<Reference["kind"], { label: string; icon: typeof IconGitCommit }> = {
  commit: { label: "Commit", icon: IconGitCommit },
  pull_request: { label: "Pull request", icon: IconGitPullRequest },
};
const isHttp = (url: string) => /^https?:/i.test(url);

/** Commits and pull requests that mention a ticket; renders nothing if there are none. */
export function CodeReferences({ projectId, item }: { projectId: string; item: WorkItem }) {
  const trpc = useTRPC();
  const { data } = useQuery(
    trpc.workItems.references.queryOptions({ projectId, findingId: item.findingId, workItemId: item.id }),
  );
  const references = data?.references ?? [];
  if (references.length === 0) return null;
  return (
    <ul className={classes.plainList} aria-label="Code that mentions the ticket" style={{ marginBlockStart: 10 }}>
      {references.map(({ id, kind, title, url, state, at }) => {
        const { label, icon: Icon } = KINDS[kind];
        return (
          <li key={id} className={classes.plainItem}>
            <Icon size={14} aria-label={label} />
            <span className={classes.plainText} title={title}>
              {isHttp(url) ? (
                <Anchor href={url} target="_blank" rel="noopener noreferrer" fz="inherit">
                  {title || url}
                </Anchor>
              ) : (
                title
              )}
            </span>
            <span className={classes.quiet}>
              {state === null ? "" : `${state}, `}
              <Ago at={at} />
            </span>
          </li>
        );
      })}
    </ul>
  );
}
