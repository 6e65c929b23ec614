"use client";
import { useDebouncedValue } from "@mantine/hooks";
import { Spotlight } from "@mantine/spotlight";
import { IconAlertTriangle, IconBook2, IconFolder, IconMessage, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { useTRPC } from "@/app/_lib/trpc/client";
import { useProjects } from "../access/membership";
import { pageHref } from "./pages";
import { usePages } from "./use-pages";

const SHOWN = 6;
const has = (text: string, query: string) => text.toLowerCase().includes(query.trim().toLowerCase());

/** Everything one can go to, by its name: pages, projects, conversations, Findings. */
export function Palette({ projectId }: { projectId: string }) {
  const trpc = useTRPC();
  const projects = useProjects();
  const router = useRouter();
  const [query, setQuery] = useState("");
  const [open, setOpen] = useState(false);
  const [q] = useDebouncedValue(query.trim(), 200);
  const conversations = useQuery(
    trpc.conversations.list.queryOptions({ projectId, limit: SHOWN, ...(q ? { q } : {}) }, { enabled: open }),
  );
  const findings = useQuery(trpc.findings.list.queryOptions({ projectId, limit: 200 }, { enabled: open }));

  const pages = usePages().filter((page) => has(page.label, query));
  const others = projects.filter((project) => project.id !== projectId && has(project.name, query));
  const found = (findings.data?.findings ?? []).filter((finding) => has(finding.title, query)).slice(0, SHOWN);
  const talks = conversations.data?.conversations ?? [];
  const nothing = pages.length + others.length + found.length + talks.length === 0;
  return (
    <Spotlight.Root
      query={query}
      onQueryChange={setQuery}
      shortcut={["mod + K"]}
      scrollable
      overlayProps={{ backgroundOpacity: 0.35, blur: 0 }}
      maxHeight={440}
      onSpotlightOpen={() => setOpen(true)}
      onSpotlightClose={() => setOpen(false)}
      transitionProps={{ duration: 80 }}
    >
      <Spotlight.Search
        placeholder="Go to a page, a project, a conversation, a Finding…"
        aria-label="Go to"
        leftSection={<IconSearch size={16} aria-hidden />}
      />
      <Spotlight.ActionsList>
        {pages.length > 0 ? (
          <Spotlight.ActionsGroup label="Pages">
            {pages.map(({ path, label, key, icon: Icon }) => (
              <Spotlight.Action
                key={path}
                label={label}
                leftSection={<Icon size={16} aria-hidden />}
                rightSection={<span className="mono">g {key}</span>}
                onClick={() => router.push(pageHref(projectId, path))}
              />
            ))}
            <Spotlight.Action
              label="API reference"
              leftSection={<IconBook2 size={16} aria-hidden />}
              onClick={() => window.location.assign("/docs")}
            />
          </Spotlight.ActionsGroup>
        ) : null}
        {talks.length > 0 ? (
          <Spotlight.ActionsGroup label={q ? "Conversations" : "Newest conversations"}>
            {talks.map((talk) => (
              <Spotlight.Action
                key={talk.id}
                label={talk.preview ?? talk.externalId ?? talk.id}
                description={talk.externalId ?? talk.id}
                leftSection={<IconMessage size={16} aria-hidden />}
                onClick={() => router.push(`${pageHref(projectId, "conversations")}/${encodeURIComponent(talk.id)}`)}
              />
            ))}
          </Spotlight.ActionsGroup>
        ) : null}
        {found.length > 0 ? (
          <Spotlight.ActionsGroup label="Findings">
            {found.map((finding) => (
              <Spotlight.Action
                key={finding.id}
                label={finding.title}
                leftSection={<IconAlertTriangle size={16} aria-hidden />}
                onClick={() => router.push(`${pageHref(projectId, "findings")}/${encodeURIComponent(finding.id)}`)}
              />
            ))}
          </Spotlight.ActionsGroup>
        ) : null}
        {others.length > 0 ? (
          <Spotlight.ActionsGroup label="Projects">
            {others.map((project) => (
              <Spotlight.Action
                key={project.id}
                label={project.name}
                leftSection={<IconFolder size={16} aria-hidden />}
                onClick={() => router.push(pageHref(project.id, "conversations"))}
              />
            ))}
          </Spotlight.ActionsGroup>
        ) : null}
        {nothing ? <Spotlight.Empty>Nothing by that name.</Spotlight.Empty> : null}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}
