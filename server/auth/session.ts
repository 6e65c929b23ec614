import "server-only";
import { cookies } from "next/headers";
import { cache } from "react";
import type { Db } from "@/db/client";
import { db } from "@/db/pool";
import { readSession, type Session } from "@/server/services/identity";
import { type Cookies, parseCookies, sessionIdOf } from "./session-cookie";

async function sessionOfCookies(on: Db, given: Cookies): Promise<Session | null> {
  const id = await sessionIdOf(given);
  return id === null ? null : readSession(on, id);
}

/** Who sent this request, by its cookie; `null` when signed out, ended or expired. */
export const sessionOf = (on: Db, request: Request) =>
  sessionOfCookies(on, parseCookies(request.headers.get("cookie")));

/** Who looks at the page that is being rendered. Asked once for a render, however many components ask. */
export const currentSession = cache(async (): Promise<Session | null> => {
  const jar = await cookies();
  return sessionOfCookies(
    db(),
    jar.getAll().map(({ name, value }) => [name, value] as const),
  );
});
