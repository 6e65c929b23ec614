import Link from "next/link";
import { usePathname } from "next/navigation";
import { isAtPage, pageHref } from "./pages";
import classes from "./shell.module.css";
import { useNavigation } from "./use-pages";

/** The pages of the section Settings, above each of them. */
export function SettingsNav({ projectId }: { projectId: string }) {
  const { settings } = useNavigation();
  const address = usePathname();
  const links = settings.map(({ path, label }) => {
    const href = pageHref(projectId, path);
    return { href, label, here: isAtPage(address, projectId, path) };
  });
  if (!links.some(({ here }) => here)) return null;
  return (
    <nav aria-label="Settings" className={classes.settings}>
      {links.map(({ href, label, here }) => (
        <Link key={href} href={href} aria-current={here ? "page" : undefined}>
          {label}
        </Link>
      ))}
    </nav>
  );
}
