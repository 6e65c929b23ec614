import Link from "next/link";
import { usePathname } from "next/navigation";
import { pageHref } from "./pages";
import { RecentCost } from "./recent-cost";
import classes from "./shell.module.css";
import { usePages } from "./use-pages";

export function ProjectNav({ projectId, onGo }: { projectId: string; onGo: () => void }) {
  const path = usePathname();
  return (
    <ul className={classes.nav}>
      {usePages().map(({ path: page, label, key, icon: Icon }) => {
        const href = pageHref(projectId, page);
        const here = path === href || path.startsWith(`${href}/`);
        return (
          <li key={page}>
            <Link href={href} className={classes.link} aria-current={here ? "page" : undefined} onClick={onGo}>
              <Icon size={16} stroke={1.75} aria-hidden />
              {label}
              {page === "costs" ? <RecentCost projectId={projectId} /> : null}
              <span className={classes.keys} aria-hidden>
                g {key}
              </span>
            </Link>
          </li>
        );
      })}
    </ul>
  );
}
