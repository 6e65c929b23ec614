import type { Db } from "@/db/client";
import { db } from "@/db/pool";
import { addressOf } from "@/server/auth/address";
import { currentSession } from "@/server/auth/current-session";
import { isSameOrigin } from "@/server/auth/origin";
import { sessionOf } from "@/server/auth/session";
import type { RequestInfo } from "@/server/platform/context";
import { requestIdOf } from "@/server/platform/http/request-id";
import type { Session } from "@/server/services/identity";
import { type RateLimiter, workbenchLimiter } from "@/server/services/rate-limits";

export type TrpcContext = {
  db: Db;
  session: Session | null;
  requestId: string;
  /** The client's network address; null while a page is rendered. */
  address?: string | null | undefined;
  /** Whether mutations may run: the browser must report a same-origin request. */
  sameOrigin: boolean;
  /** The limiter for calls in a project. */
  limiter: RateLimiter;
};

/** Returns the context of a request to the HTTP mount. */
export const contextOfRequest = async (request: Request, limiter: RateLimiter): Promise<TrpcContext> => ({
  db: db(),
  session: await sessionOf(db(), request),
  requestId: requestIdOf(request.headers),
  address: addressOf(request.headers),
  sameOrigin: isSameOrigin(request.headers),
  limiter,
});

/** Returns the context of a server component, which reads on behalf of the signed-in person and writes nothing. */
export const contextOfPage = async (): Promise<TrpcContext> => ({
  db: db(),
  session: await currentSession(),
  requestId: crypto.randomUUID(),
  sameOrigin: false,
  limiter: workbenchLimiter,
});

/** Returns the request as the audit log records it. */
export const requestInfo = ({ requestId, address }: TrpcContext): RequestInfo => ({
  requestId,
  address: address ?? null,
  door: "trpc",
});
