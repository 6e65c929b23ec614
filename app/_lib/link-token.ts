"use client";
import { useEffect, useState } from "react";

type LinkPage = "invite" | "reset" | "setup";

/** Longer than any token of ours. */
const TOKEN_MAX = 200;

const nameOf = (page: LinkPage) => `whetstone:link:${page}`;

/** Browsers send the part behind `#` to nobody. Links of earlier versions had the token in the query. */
function tokenIn({ hash, search }: Location): string | null {
  return new URLSearchParams(hash.slice(1)).get("token") ?? new URLSearchParams(search).get("token");
}

/**
 * The token of the one-time link by which this page was opened: `undefined` before the script knows, `null` where there is
 * none. It moves from the address into this tab's storage, so that neither the history nor a bookmark keeps it and a visit
 * to the sign-in page does not lose it.
 */
export function useLinkToken(page: LinkPage): string | null | undefined {
  const [token, setToken] = useState<string | null>();
  useEffect(() => {
    const read = () => {
      const given = tokenIn(window.location);
      if (given !== null) {
        sessionStorage.setItem(nameOf(page), given);
        window.history.replaceState(null, "", window.location.pathname);
      }
      const kept = sessionStorage.getItem(nameOf(page));
      setToken(kept !== null && kept !== "" && kept.length <= TOKEN_MAX ? kept : null);
    };
    read();
    // Another link of the same kind, pasted into this tab, loads nothing anew.
    window.addEventListener("hashchange", read);
    return () => window.removeEventListener("hashchange", read);
  }, [page]);
  return token;
}

/** It is used up. */
export const forgetLinkToken = (page: LinkPage) => sessionStorage.removeItem(nameOf(page));
