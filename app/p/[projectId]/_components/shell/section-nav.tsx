import Link from "next/link";
import { usePathname } from "next/navigation";
import { isAtPage, pageHref } from "./pages";
import classes from "./shell.module.css";
import { useNavigation } from "./use-pages";

/** Settings are one page in several parts, so that the tabs stay above what is below them. */
const ALSO_BELOW = "settings";

/** The pages of a section as tabs, above each of them. */
export function SectionNav({ projectId }: { projectId: string }) {
  const address = usePathname();
  const sections = useNavigation().flatMap(({ pages }) => pages);
  const section = sections.find(({ path, tabs }) =>
    tabs.some((tab) =>
      path === ALSO_BELOW ? isAtPage(address, projectId, tab.path) : address === pageHref(projectId, tab.path),
    ),
  );
  if (!section) return null;
  return (
    <nav aria-label={section.label} className={classes.section}>
      {section.tabs.map(({ path, tab }) => (
        <Link
          key={path}
          href={pageHref(projectId, path)}
          aria-current={isAtPage(address, projectId, path) ? "page" : undefined}
        >
          {tab}
        </Link>
      ))}
    </nav>
  );
}
