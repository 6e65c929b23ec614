import "server-only";
import { cookies } from "next/headers";
import { cache } from "react";
import { db } from "@/db/pool";
import type { Session } from "@/server/services/identity";
import { sessionOfCookies } from "./session";

/** Returns the session of the page being rendered. Memoized per render. */
export const currentSession = cache(async (): Promise<Session | null> => {
  const jar = await cookies();
  return sessionOfCookies(
    db(),
    jar.getAll().map(({ name, value }) => [name, value] as const),
  );
});
