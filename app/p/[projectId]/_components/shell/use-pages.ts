import { type Capability, ROLE_CAPABILITIES } from "@/server/platform/capabilities";
import { useRole } from "../access/membership";
import { GROUPS, SETTINGS } from "./pages";

const mayOpen = (held: readonly Capability[]) => (page: { path: string; needs?: Capability }) =>
  page.needs === undefined || held.includes(page.needs);

/** Returns the navigation for this reader: groups of pages, and the pages of the section Settings. */
export function useNavigation() {
  const may = mayOpen(ROLE_CAPABILITIES[useRole()]);
  return {
    groups: GROUPS.map(({ title, pages }) => ({ title, pages: pages.filter(may) })).filter(
      ({ pages }) => pages.length > 0,
    ),
    settings: SETTINGS.filter(may),
  };
}

/** Returns every page that this reader may see, once each. */
export function usePages() {
  const { groups, settings } = useNavigation();
  return [...groups.flatMap(({ pages }) => pages), ...settings.slice(1)];
}
