"use client";
import { useEffect, useState } from "react";

type LinkPage = "invite" | "reset" | "setup";

/** Longer than any of our tokens. */
const TOKEN_MAX = 200;

const nameOf = (page: LinkPage) => `whetstone:link:${page}`;

/** Browsers do not send the part behind `#`. Links of earlier versions had the token in the query. */
function tokenIn({ hash, search }: Location): string | null {
  return new URLSearchParams(hash.slice(1)).get("token") ?? new URLSearchParams(search).get("token");
}

/**
 * Returns the token of the one-time link that opened this page: `undefined` before the script runs, `null` if there is
 * none. It is moved from the URL into this tab's storage, so that neither the history nor a bookmark contains it
 * and a visit to the sign-in page does not lose it.
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
    // Pasting another link of the same kind into this tab does not reload the page.
    window.addEventListener("hashchange", read);
    return () => window.removeEventListener("hashchange", read);
  }, [page]);
  return token;
}

/** Removes a token that has been used. */
export const forgetLinkToken = (page: LinkPage) => sessionStorage.removeItem(nameOf(page));
