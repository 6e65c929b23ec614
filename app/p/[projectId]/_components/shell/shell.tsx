"use client";
import { AppShell, Burger, Group, Text, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { spotlight } from "@mantine/spotlight";
import { IconSearch } from "@tabler/icons-react";
import { ModShortcut } from "@/app/_components/controls/mod-shortcut";
import { useProjects } from "../access/membership";
import { SampleBar } from "../sample/sample-bar";
import { KeySheet } from "./key-sheet";
import { NavigationBar } from "./navigation-bar";
import { Palette } from "./palette";
import { ProjectNav } from "./project-nav";
import { ProjectSwitcher } from "./project-switcher";
import { RememberPlaces } from "./recent-places";
import { SectionNav } from "./section-nav";
import classes from "./shell.module.css";
import type { ShellUser } from "./shell-data";
import { useGoKeys } from "./use-go-keys";
import { UserMenu } from "./user-menu";

type Props = {
  projectId: string;
  user: ShellUser;
  /** The titles of the collapsed groups of the navigation. */
  collapsed: readonly string[];
  children: React.ReactNode;
};

/** The frame around every page of a project. */
export function Shell({ projectId, user, collapsed, children }: Props) {
  const [nav, navControl] = useDisclosure(false);
  const [help, helpControl] = useDisclosure(false);
  useGoKeys(projectId, helpControl.open);
  const project = useProjects().find((candidate) => candidate.id === projectId);
  return (
    <AppShell
      padding={0}
      transitionDuration={120}
      header={{ height: { base: 48, sm: 0 } }}
      navbar={{ width: 228, breakpoint: "sm", collapsed: { mobile: !nav } }}
    >
      <a href="#content" className="skip-link">
        Skip to content
      </a>
      <AppShell.Header hiddenFrom="sm">
        <Group h="100%" px="sm" gap="sm" wrap="nowrap">
          <Burger opened={nav} onClick={navControl.toggle} size="sm" aria-label={nav ? "Close menu" : "Open menu"} />
          <Text fw={600} className="clip">
            {project?.name ?? "Whetstone"}
          </Text>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes.navbar} aria-label="Workbench" data-closed={!nav || undefined}>
        <AppShell.Section p={8}>
          <ProjectSwitcher projectId={projectId} mayCreate={user.rights.includes("projects:create")} />
          <UnstyledButton className={classes.search} onClick={spotlight.open} mt={8}>
            <IconSearch size={14} aria-hidden />
            <span>Go to…</span>
            <ModShortcut of="K" ml="auto" />
          </UnstyledButton>
        </AppShell.Section>
        <ProjectNav projectId={projectId} collapsed={collapsed} onGo={navControl.close} />
        <AppShell.Section p={8} className={classes.foot}>
          <UserMenu projectId={projectId} user={user} onHelp={helpControl.open} />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} className={classes.main}>
        <NavigationBar />
        <div className={classes.page}>
          <SampleBar />
          <SectionNav projectId={projectId} />
          {children}
        </div>
      </AppShell.Main>
      <Palette projectId={projectId} />
      <RememberPlaces projectId={projectId} />
      <KeySheet opened={help} onClose={helpControl.close} />
    </AppShell>
  );
}
