"use client";
import { useDebouncedValue } from "@mantine/hooks";
import { Spotlight } from "@mantine/spotlight";
import { IconAlertTriangle, IconFolder, IconHash, IconHistory, IconMessage, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { leavePage } from "@/app/_lib/leave-guard";
import { useTRPC } from "@/app/_lib/trpc/client";
import { useProjects } from "../access/membership";
import { homeHref, pageHref } from "./pages";
import { usePaletteActions } from "./palette-actions";
import { useEntriesOfId } from "./palette-ids";
import { useRecentPlaces } from "./recent-places";
import { usePages } from "./use-pages";

const SHOWN = 6;
const RECENT_SHOWN = 5;
const has = (text: string, query: string) => text.toLowerCase().includes(query.trim().toLowerCase());

/** The command palette: pages, actions, conversations, Findings and projects by name, and anything with an id by its id. */
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

  const allPages = usePages();
  const pages = allPages.filter((page) => has(page.label, query));
  const others = projects.filter((project) => project.id !== projectId && has(project.name, query));
  const found = (findings.data?.findings ?? []).filter((finding) => has(finding.title, query)).slice(0, SHOWN);
  const talks = conversations.data?.conversations ?? [];
  const ofId = useEntriesOfId(projectId, q, open);
  const actions = usePaletteActions(projectId, open).filter((action) => has(action.label, query));
  const recent = useRecentPlaces(projectId);
  // Pages have their own entries.
  const isPage = ({ href }: { href: string }) => allPages.some(({ path }) => pageHref(projectId, path) === href);
  const places = recent.filter((place) => has(place.title, query) && !isPage(place));
  const counts = [pages, others, found, talks, ofId, actions, places].map((entries) => entries.length);
  const nothing = counts.every((count) => count === 0);
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
        placeholder="Go to a page, a conversation, a Finding, any ID…"
        aria-label="Go to"
        leftSection={<IconSearch size={16} aria-hidden />}
      />
      <Spotlight.ActionsList>
        <Group label="By id" icon={<IconHash size={16} aria-hidden />} entries={ofId} />
        <Group
          label="Recent"
          icon={<IconHistory size={16} aria-hidden />}
          entries={places.slice(0, RECENT_SHOWN).map(({ href, title }) => ({ id: href, label: title, href }))}
        />
        {pages.length > 0 ? (
          <Spotlight.ActionsGroup label="Pages">
            {pages.map(({ path, label, key, icon: Icon }) => (
              <Spotlight.Action
                key={path}
                label={label}
                leftSection={<Icon size={16} aria-hidden />}
                rightSection={key === null ? null : <span className="mono">g {key}</span>}
                onClick={() => leavePage(() => router.push(pageHref(projectId, path)))}
              />
            ))}
          </Spotlight.ActionsGroup>
        ) : null}
        {actions.length > 0 ? (
          <Spotlight.ActionsGroup label="Actions">
            {actions.map(({ label, icon: Icon, run }) => (
              <Spotlight.Action key={label} label={label} leftSection={<Icon size={16} aria-hidden />} onClick={run} />
            ))}
          </Spotlight.ActionsGroup>
        ) : null}
        <Group
          label={q ? "Conversations" : "Newest conversations"}
          icon={<IconMessage size={16} aria-hidden />}
          entries={talks.map(({ id, preview, externalId }) => ({
            id,
            label: preview ?? externalId ?? id,
            description: externalId ?? id,
            href: `${pageHref(projectId, "conversations")}/${encodeURIComponent(id)}`,
          }))}
        />
        <Group
          label="Findings"
          icon={<IconAlertTriangle size={16} aria-hidden />}
          entries={found.map(({ id, title }) => ({
            id,
            label: title,
            href: `${pageHref(projectId, "findings")}/${encodeURIComponent(id)}`,
          }))}
        />
        <Group
          label="Projects"
          icon={<IconFolder size={16} aria-hidden />}
          entries={others.map(({ id, name }) => ({ id, label: name, href: homeHref(id) }))}
        />
        {nothing ? <Spotlight.Empty>No results</Spotlight.Empty> : null}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

type Entry = { id: string; label: string; description?: string; href: string };

/** Entries of one kind; renders nothing if there are none. */
function Group({ label, icon, entries }: { label: string; icon: React.ReactNode; entries: readonly Entry[] }) {
  const router = useRouter();
  if (entries.length === 0) return null;
  return (
    <Spotlight.ActionsGroup label={label}>
      {entries.map(({ id, href, ...said }) => (
        <Spotlight.Action key={id} {...said} leftSection={icon} onClick={() => leavePage(() => router.push(href))} />
      ))}
    </Spotlight.ActionsGroup>
  );
}
