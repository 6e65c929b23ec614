import type { Db } from "@/db/client";
import { db } from "@/db/pool";
import { addressOf } from "@/server/auth/address";
import { currentSession } from "@/server/auth/current-session";
import { isSameOrigin } from "@/server/auth/origin";
import { sessionOf } from "@/server/auth/session";
import type { RequestInfo } from "@/server/platform/context";
import { requestIdOf } from "@/server/platform/request-id";
import type { Session } from "@/server/services/identity";
import { type RateLimiter, workbenchLimiter } from "@/server/services/rate-limits";

export type TrpcContext = {
  db: Db;
  session: Session | null;
  requestId: string;
  /** The visitor's network address; null for a page that is being rendered. */
  address?: string | null | undefined;
  /** Whether mutations may run: the browser must say that a page of ours asks. */
  sameOrigin: boolean;
  /** What the calls in a project count against. */
  limiter: RateLimiter;
};

/** For a request to the HTTP mount. */
export const contextOfRequest = async (request: Request, limiter: RateLimiter): Promise<TrpcContext> => ({
  db: db(),
  session: await sessionOf(db(), request),
  requestId: requestIdOf(request.headers),
  address: addressOf(request.headers),
  sameOrigin: isSameOrigin(request.headers),
  limiter,
});

/** For a server component, which reads on behalf of the person who opened the page and changes nothing. */
export const contextOfPage = async (): Promise<TrpcContext> => ({
  db: db(),
  session: await currentSession(),
  requestId: crypto.randomUUID(),
  sameOrigin: false,
  limiter: workbenchLimiter,
});

/** The request as the audit log tells of it. */
export const requestInfo = ({ requestId, address }: TrpcContext): RequestInfo => ({
  requestId,
  address: address ?? null,
  door: "trpc",
});
