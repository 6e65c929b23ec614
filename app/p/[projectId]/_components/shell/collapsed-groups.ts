/** The cookie with the collapsed groups of the navigation, which the server renders. */
export const COLLAPSED_GROUPS = "whetstone-nav";

const YEAR_S = 31_536_000;

export const collapsedIn = (cookie: string | undefined) => (cookie ? decodeURIComponent(cookie).split(",") : []);

export function rememberCollapsed(titles: readonly string[]) {
  // biome-ignore lint/suspicious/noDocumentCookie: CookieStore is not in every browser that Next supports
  document.cookie = `${COLLAPSED_GROUPS}=${encodeURIComponent(titles.join(","))}; path=/; max-age=${YEAR_S}; samesite=lax`;
}
