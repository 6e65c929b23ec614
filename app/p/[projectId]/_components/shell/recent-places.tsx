"use client";
import { usePathname } from "next/navigation";
import { useEffect } from "react";
import { z } from "zod";
import { useStored } from "@/app/_lib/use-stored";

/** A page of a project that the reader opened recently, in this browser. */
export type Place = { href: string; title: string };

const KEPT = 8;
const STAYS_MS = 500;
const SUFFIX = / · Whetstone$/;

const places = z.array(z.object({ href: z.string().startsWith("/p/"), title: z.string() })).max(KEPT);

const NONE: Place[] = [];

const usePlaces = (projectId: string) => useStored(`places:${projectId}`, places, NONE);

/** Returns the recently opened pages without the current one, newest first. */
export function useRecentPlaces(projectId: string): readonly Place[] {
  const [known] = usePlaces(projectId);
  const pathname = usePathname();
  return known.filter(({ href }) => href !== pathname);
}

/** Remembers the pages that the reader stays on, with each page's final title. */
export function RememberPlaces({ projectId }: { projectId: string }) {
  const pathname = usePathname();
  const [, setPlaces] = usePlaces(projectId);
  useEffect(() => {
    const remember = () => {
      if (window.location.pathname !== pathname) return; // the title is already the next page's
      const title = document.title.replace(SUFFIX, "");
      setPlaces((known) =>
        [{ href: pathname, title }, ...known.filter(({ href }) => href !== pathname)].slice(0, KEPT),
      );
    };
    // A page's title may arrive long after its URL has changed; until then, the document has the previous page's title.
    const named = new MutationObserver(remember);
    const stays = setTimeout(() => {
      remember();
      named.observe(document.head, { subtree: true, childList: true, characterData: true });
    }, STAYS_MS);
    return () => {
      clearTimeout(stays);
      named.disconnect();
    };
  }, [pathname, setPlaces]);
  return null;
}
