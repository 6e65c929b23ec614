"use client";
import { useEffect } from "react";
import { LAST_PROJECT } from "@/app/_lib/last-project";

const YEAR_S = 31_536_000;

/** Remembers the project, so that `/` opens it. */
export function RememberProject({ projectId }: { projectId: string }) {
  useEffect(() => {
    // biome-ignore lint/suspicious/noDocumentCookie: CookieStore is not in every browser that Next supports
    document.cookie = `${LAST_PROJECT}=${encodeURIComponent(projectId)}; path=/; max-age=${YEAR_S}; samesite=lax`;
  }, [projectId]);
  return null;
}
