import type { z } from "zod";
import type { OutboundReply, OutboundRequest } from "@/server/platform/outbound";
import type { ConnectionKind, SETTINGS } from "../schemas";

/** A request below a connection's address, before it has its credential. */
export type Unsigned = { url: URL; body: string | undefined; messageId?: string | undefined };
/** What a credential adds to a request. */
export type Signature = { url?: URL; headers: Record<string, string> };

/** A request of a service's API. */
export type Call = Omit<OutboundRequest, "projectId" | "url" | "body"> & {
  /** Below the base URL, without its query. */
  path: string;
  query?: Record<string, string>;
  /** Identifies a webhook's message, so that a receiver recognizes a repetition. Default: a new one. */
  messageId?: string;
};

/** What code that speaks a service's API may use: calls go to the connection's address, with its credential. */
export type Caller = {
  baseUrl: string;
  request: (call: Call) => Promise<OutboundReply>;
  json: <Reply extends z.ZodType>(call: Call, reply: Reply) => Promise<z.output<Reply>>;
  /**
   * `fetch` for a service's own client library, for addresses below the base. Replies are complete. Those with a status of 500
   * and more throw an `OutboundError`, after retries where the method allows them.
   */
  fetch: (input: string | URL | Request, init?: RequestInit, limits?: { timeoutMs?: number }) => Promise<Response>;
  /** Exchanges the secret anew for the next call, where it is exchanged: what it may do can have changed. */
  renew: () => void;
};

/** A request that needs a credential which its secret is exchanged for. */
export type Exchanged = {
  url: URL;
  baseUrl: string;
  projectId: string;
  /** Whether a cached credential must not be used. */
  renew: boolean;
  request: Caller["request"];
};

/** What a connection of one kind does with its secret, and how it is tested. */
export type Kind<Name extends ConnectionKind = ConnectionKind> = {
  /** As people call it. */
  label: string;
  /** What a test says where there is no secret; none where the service may do without. */
  needsSecret?: (settings: z.infer<(typeof SETTINGS)[Name]>) => string | undefined;
  /** Returns the credential of a request, where that is not the secret itself. */
  exchange?: (secret: string, request: Exchanged, settings: z.infer<(typeof SETTINGS)[Name]>) => Promise<string>;
  /** Adds the credential to a request. */
  sign: (credential: string, request: Unsigned, settings: z.infer<(typeof SETTINGS)[Name]>) => Signature;
  /** What addresses of this kind look like, for who gave another. */
  addressHint: string;
  /** Asks the service something harmless; returns what is wrong. Throws where the call itself fails. */
  probe: (
    service: Caller,
    settings: z.infer<(typeof SETTINGS)[Name]>,
    about: { id: string; name: string },
  ) => Promise<string[]>;
};

export const bearer = (secret: string): Signature => ({ headers: { authorization: `Bearer ${secret}` } });
export const tokenNeeded = () => "There is no secret: enter a token.";
