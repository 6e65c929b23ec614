import "server-only";
import type { Db } from "@/db/client";
import { readSession, type Session } from "@/server/services/identity";
import { type Cookies, parseCookies, sessionIdOf } from "./session-cookie";

/** Returns the session that these cookies name; `null` when signed out, revoked or expired. */
export async function sessionOfCookies(on: Db, given: Cookies): Promise<Session | null> {
  const id = await sessionIdOf(given);
  return id === null ? null : readSession(on, id);
}

/** Returns the session of this request's cookie, or `null`. */
export const sessionOf = (on: Db, request: Request) =>
  sessionOfCookies(on, parseCookies(request.headers.get("cookie")));
