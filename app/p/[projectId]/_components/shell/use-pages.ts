import { ROLE_CAPABILITIES } from "@/server/platform/capabilities";
import { useRole } from "../access/membership";
import { PAGES } from "./pages";

/** Returns the pages that this reader may see. */
export function usePages() {
  const held = ROLE_CAPABILITIES[useRole()];
  return PAGES.filter((page) => !("needs" in page) || held.includes(page.needs));
}
