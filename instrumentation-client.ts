import { beginNavigation } from "@/app/_lib/pending-navigation";

/** Called by Next at the start of every navigation in the browser: by a link, by code, and back or forward. */
export const onRouterTransitionStart = (href: string) => beginNavigation(href);
