const ORIGIN = "http://here.invalid";

/** Returns the path of one of our own URLs, as next-auth passes them. */
export function pathOf(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return url;
  const { pathname, search, hash } = new URL(url);
  return pathname + search + hash;
}

/** Returns where to go after signing in: one of our pages, never another host. */
export function safeNext(next: string | undefined): string {
  // Browsers drop tabs and line breaks from a URL and read a backslash as a slash: check what they would open.
  if (!next?.startsWith("/") || !URL.canParse(next, ORIGIN)) return "/";
  const url = new URL(next, ORIGIN);
  // A path starting with two slashes would be read as a host next time.
  if (url.origin !== ORIGIN || url.pathname.startsWith("//")) return "/";
  return url.pathname + url.search + url.hash;
}
