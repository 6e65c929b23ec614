const HERE = "http://here.invalid";

/** The path of an address of ours, as next-auth gives it. */
export function pathOf(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return url;
  const { pathname, search, hash } = new URL(url);
  return pathname + search + hash;
}

/** Where to go after signing in: a page of ours, never another host. */
export function safeNext(next: string | undefined): string {
  // A browser drops tabs and line ends from an address and reads a backslash as a slash: what it would go to is what counts.
  if (!next?.startsWith("/") || !URL.canParse(next, HERE)) return "/";
  const url = new URL(next, HERE);
  // A path that begins with two slashes would be read as a host the next time.
  if (url.origin !== HERE || url.pathname.startsWith("//")) return "/";
  return url.pathname + url.search + url.hash;
}
