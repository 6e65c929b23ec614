import { UnstyledButton } from "@mantine/core";
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
import { useNavigation } from "./use-pages";

type Props = {
  projectId: string;
  /** The titles of the collapsed groups, as remembered. */
  collapsed: readonly string[];
  onGo: () => void;
};

type Shown = ReturnType<typeof useNavigation>["groups"][number];

export function ProjectNav({ projectId, collapsed: remembered, onGo }: Props) {
  const { groups } = useNavigation();
  const [collapsed, setCollapsed] = useState(remembered);
  const toggle = (title: string) => {
    const next = collapsed.includes(title) ? collapsed.filter((other) => other !== title) : [...collapsed, title];
    setCollapsed(next);
    rememberCollapsed(next);
  };
  return groups.map((group, n) => (
    <NavGroup
      key={group.pages[0]?.path}
      projectId={projectId}
      group={group}
      isLast={n === groups.length - 1}
      open={group.title === null || !collapsed.includes(group.title)}
      onToggle={toggle}
      onGo={onGo}
    />
  ));
}

type GroupProps = {
  projectId: string;
  group: Shown;
  isLast: boolean;
  open: boolean;
  onToggle: (title: string) => void;
  onGo: () => void;
};

/** A collapsed group still shows the page that is open. */
function NavGroup({ projectId, group: { title, pages }, isLast, open, onToggle, onGo }: GroupProps) {
  const { settings } = useNavigation();
  const address = usePathname();
  const isHere = (path: Shown["pages"][number]["path"]) =>
    path === "settings"
      ? settings.some((page) => isAtPage(address, projectId, page.path))
      : isAtPage(address, projectId, path);
  return (
    <div className={classes.group} data-last={isLast || undefined}>
      {title === null ? null : (
        <UnstyledButton className={classes.groupTitle} aria-expanded={open} onClick={() => onToggle(title)}>
          {title}
          <IconChevronRight size={12} aria-hidden />
        </UnstyledButton>
      )}
      <ul className={classes.nav} aria-label={title ?? (isLast ? "More" : "Start")}>
        {pages
          .filter(({ path }) => open || isHere(path))
          .map(({ path, label, key, icon: Icon }) => (
            <li key={path}>
              <Link
                href={pageHref(projectId, path)}
                className={classes.link}
                aria-current={isHere(path) ? "page" : undefined}
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
          ))}
      </ul>
    </div>
  );
}
