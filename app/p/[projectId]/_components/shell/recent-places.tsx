"use client";
import { useLocalStorage } from "@mantine/hooks";
import { usePathname } from "next/navigation";
import { useEffect } from "react";
import { z } from "zod";

/** A page of a project that the reader opened lately, in this browser. */
export type Place = { href: string; title: string };

const KEPT = 8;
/** A page names itself once its data are there. */
const NAMED_MS = 500;
const SUFFIX = / · Whetstone$/;

const places = z.array(z.object({ href: z.string().startsWith("/p/"), title: z.string() })).max(KEPT);

const usePlaces = (projectId: string) =>
  useLocalStorage<Place[]>({
    key: `whetstone:places:${projectId}`,
    defaultValue: [],
    deserialize: (text) => {
      try {
        return places.parse(JSON.parse(text ?? "[]"));
      } catch {
        return []; // of another version, or changed by hand
      }
    },
  });

/** Returns the pages opened lately without the current one, newest first. */
export function useRecentPlaces(projectId: string): readonly Place[] {
  const [known] = usePlaces(projectId);
  const pathname = usePathname();
  return known.filter(({ href }) => href !== pathname);
}

/** Remembers the pages that the reader stays on. */
export function RememberPlaces({ projectId }: { projectId: string }) {
  const pathname = usePathname();
  const [, setPlaces] = usePlaces(projectId);
  useEffect(() => {
    const timer = setTimeout(() => {
      const title = document.title.replace(SUFFIX, "");
      setPlaces((known) =>
        [{ href: pathname, title }, ...known.filter(({ href }) => href !== pathname)].slice(0, KEPT),
      );
    }, NAMED_MS);
    return () => clearTimeout(timer);
  }, [pathname, setPlaces]);
  return null;
}
