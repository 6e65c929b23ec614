import { type Capability, ROLE_CAPABILITIES } from "@/server/platform/capabilities";
import { useRole } from "../access/membership";
import { GROUPS, type ListedPage, type ListedTab, type PagePath } from "./pages";

type Tab = {
  path: PagePath;
  label: string;
  /** Its name among the tabs. */
  tab: string;
  key: string | null;
  icon: ListedPage["icon"];
};
/** An entry of the navigation; `tabs` are the pages of a section, and empty for any other. */
export type NavigationEntry = Tab & { tabs: readonly Tab[] };

/** Returns the navigation for this reader. */
export function useNavigation() {
  const held = ROLE_CAPABILITIES[useRole()];
  const mayOpen = (page: { path: string; needs?: Capability }) => page.needs === undefined || held.includes(page.needs);
  const tabOf = (page: ListedTab): Tab => ({ ...page, tab: "tab" in page ? page.tab : page.label });
  const entryOf = (page: ListedPage): NavigationEntry => {
    const tabs: readonly ListedTab[] = "tabs" in page ? page.tabs : [];
    return { ...page, tab: page.label, tabs: tabs.filter(mayOpen).map(tabOf) };
  };
  return GROUPS.map(({ title, pages }) => {
    const all: readonly ListedPage[] = pages;
    return { title, pages: all.filter(mayOpen).map(entryOf) };
  }).filter(({ pages }) => pages.length > 0);
}

/** Returns every page that this reader may see, once each. */
export const usePages = (): Tab[] =>
  useNavigation().flatMap(({ pages }) => pages.flatMap((page) => [page, ...page.tabs.slice(1)]));
