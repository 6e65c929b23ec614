import type { Db } from "@/db/client";
import { db } from "@/db/pool";
import { isSameOrigin } from "@/server/auth/origin";
import { currentSession, sessionOf } from "@/server/auth/session";
import { requestIdOf } from "@/server/platform/request-id";
import type { Session } from "@/server/services/identity";

export type TrpcContext = {
  db: Db;
  session: Session | null;
  requestId: string;
  /** Whether mutations may run: the browser must say that a page of ours asks. */
  sameOrigin: boolean;
};

/** For a request to the HTTP mount. */
export const contextOfRequest = async (request: Request): Promise<TrpcContext> => ({
  db: db(),
  session: await sessionOf(db(), request),
  requestId: requestIdOf(request.headers),
  sameOrigin: isSameOrigin(request.headers),
});

/** For a server component, which reads on behalf of the person who opened the page and changes nothing. */
export const contextOfPage = async (): Promise<TrpcContext> => ({
  db: db(),
  session: await currentSession(),
  requestId: crypto.randomUUID(),
  sameOrigin: false,
});
