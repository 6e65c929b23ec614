"use client";
import { Badge, Menu, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconCheck, IconPlus, IconSelector } from "@tabler/icons-react";
import Link from "next/link";
import { useState } from "react";
import { NewProject } from "@/app/_components/projects/new-project";
import { useProjects } from "../access/membership";
import { homeHref } from "./pages";
import classes from "./shell.module.css";

/** Up to this many projects can be scanned at a glance and need no search. */
const SEARCHED_FROM = 7;

export function ProjectSwitcher({ projectId, mayCreate }: { projectId: string; mayCreate: boolean }) {
  const projects = useProjects();
  const [creating, create] = useDisclosure(false);
  const [search, setSearch] = useState("");
  const current = projects.find((project) => project.id === projectId);
  const shown = projects.filter(({ name }) => name.toLowerCase().includes(search.trim().toLowerCase()));
  return (
    <>
      <Menu position="bottom-start" width={260}>
        <Menu.Target>
          <UnstyledButton className={classes.row} aria-label={`Project ${current?.name ?? ""}, switch`}>
            <span className={classes.mark} aria-hidden>
              {(current?.name ?? "W").slice(0, 1).toUpperCase()}
            </span>
            <span className="clip" style={{ fontWeight: 600 }}>
              {current?.name}
            </span>
            {current?.sample ? <SampleBadge /> : null}
            <IconSelector size={14} aria-hidden style={{ marginInlineStart: "auto", flex: "none" }} />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown mah={420} style={{ overflowY: "auto" }}>
          {mayCreate ? (
            <>
              <Menu.Item leftSection={<IconPlus size={14} aria-hidden />} onClick={create.open}>
                New project…
              </Menu.Item>
              <Menu.Divider />
            </>
          ) : null}
          {projects.length > SEARCHED_FROM ? (
            <Menu.Search
              placeholder="Find a project"
              aria-label="Find a project"
              value={search}
              onChange={(event) => setSearch(event.currentTarget.value)}
            />
          ) : null}
          <Menu.Label>Projects</Menu.Label>
          {shown.length === 0 ? <Menu.Label>No results</Menu.Label> : null}
          {shown.map((project) => (
            <Menu.Item
              key={project.id}
              component={Link}
              href={homeHref(project.id)}
              aria-current={project.id === projectId ? "true" : undefined}
              rightSection={project.id === projectId ? <IconCheck size={14} aria-hidden /> : null}
              leftSection={project.sample ? <SampleBadge /> : undefined}
            >
              {project.name}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <NewProject opened={creating} onClose={create.close} />
    </>
  );
}

const SampleBadge = () => (
  <Badge size="xs" variant="light" tt="none" flex="none">
    Sample
  </Badge>
);
