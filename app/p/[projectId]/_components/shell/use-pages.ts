import { ROLE_CAPABILITIES } from "@/server/platform/capabilities";
import { useRole } from "../access/membership";
import { PAGES } from "./pages";

/** The pages that have something to show to this reader. */
export function usePages() {
  const held = ROLE_CAPABILITIES[useRole()];
  return PAGES.filter((page) => !("needs" in page) || held.includes(page.needs));
}
