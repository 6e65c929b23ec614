import { AppShell, ScrollArea, UnstyledButton } from "@mantine/core";
import { IconChevronRight } from "@tabler/icons-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { useState } from "react";
import { CandidateCount } from "./candidate-count";
import { rememberCollapsed } from "./collapsed-groups";
import { isAtPage, pageHref } from "./pages";
import { RecentCost } from "./recent-cost";
import { ReviewCount } from "./review-count";
import classes from "./shell.module.css";
import { type NavigationEntry, useNavigation } from "./use-pages";

type Props = {
  projectId: string;
  /** The titles of the collapsed groups, as remembered. */
  collapsed: readonly string[];
  onGo: () => void;
};

/** The navigation; its last group stays in view while the others scroll. */
export function ProjectNav({ projectId, collapsed: remembered, onGo }: Props) {
  const groups = useNavigation();
  const [collapsed, setCollapsed] = useState(remembered);
  const toggle = (title: string) => {
    const next = collapsed.includes(title) ? collapsed.filter((other) => other !== title) : [...collapsed, title];
    setCollapsed(next);
    rememberCollapsed(next);
  };
  const shown = groups.map((group) => (
    <NavGroup
      key={group.title}
      projectId={projectId}
      group={group}
      open={group.title === null || !collapsed.includes(group.title)}
      onToggle={toggle}
      onGo={onGo}
    />
  ));
  return (
    <>
      <AppShell.Section grow component={ScrollArea} px={8}>
        {shown.slice(0, -1)}
      </AppShell.Section>
      <AppShell.Section p={8} className={classes.pinned}>
        {shown.at(-1)}
      </AppShell.Section>
    </>
  );
}

type GroupProps = {
  projectId: string;
  group: ReturnType<typeof useNavigation>[number];
  open: boolean;
  onToggle: (title: string) => void;
  onGo: () => void;
};

/** A collapsed group still shows the page that is open. */
function NavGroup({ projectId, group: { title, pages }, open, onToggle, onGo }: GroupProps) {
  const address = usePathname();
  const isHere = ({ path, tabs }: NavigationEntry) =>
    [path, ...tabs.map((tab) => tab.path)].some((one) => isAtPage(address, projectId, one));
  return (
    <div className={classes.group}>
      {title === null ? null : (
        <UnstyledButton className={classes.groupTitle} aria-expanded={open} onClick={() => onToggle(title)}>
          {title}
          <IconChevronRight size={12} aria-hidden />
        </UnstyledButton>
      )}
      <ul className={classes.nav} aria-label={title ?? "Start"}>
        {pages
          .filter((page) => open || isHere(page))
          .map((page) => {
            const { path, label, key, icon: Icon } = page;
            return (
              <li key={path}>
                <Link
                  href={pageHref(projectId, path)}
                  className={classes.link}
                  aria-current={isHere(page) ? "page" : undefined}
                  onClick={onGo}
                >
                  <Icon size={16} stroke={1.75} aria-hidden />
                  {label}
                  {path === "costs" ? <RecentCost projectId={projectId} /> : null}
                  {path === "findings" ? <ReviewCount projectId={projectId} /> : null}
                  {path === "review" ? <CandidateCount projectId={projectId} /> : null}
                  {key === null ? null : (
                    <span className={classes.keys} aria-hidden>
                      g {key}
                    </span>
                  )}
                </Link>
              </li>
            );
          })}
      </ul>
    </div>
  );
}
