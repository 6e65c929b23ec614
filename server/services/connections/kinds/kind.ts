import type { z } from "zod";
import { unprocessable } from "@/server/platform/errors";
import type { Outbound, OutboundReply, OutboundRequest } from "@/server/platform/outbound";
import type { ConnectionRow } from "../read-connection";
import type { ConnectionKind, SETTINGS, StoredTicketFields } from "../schemas";

/** A request below a connection's address, before its credential is added. */
export type Unsigned = { url: URL; body: string | undefined; messageId?: string | undefined };
/** What a credential adds to a request. */
export type Signature = { url?: URL; headers: Record<string, string> };

/** A request to a service's API. */
export type Call = Omit<OutboundRequest, "projectId" | "url" | "body"> & {
  /** Below the base URL, without its query. */
  path: string;
  query?: Record<string, string>;
  /** A body that is sent as it is, with the caller's content type. */
  bytes?: Uint8Array;
  /** Identifies a webhook message, so that a receiver recognizes duplicates. Default: a new id. */
  messageId?: string;
};

/** What code that calls a service's API may use: calls go to the connection's address, with its credential. */
export type Caller = {
  baseUrl: string;
  request: (call: Call) => Promise<OutboundReply>;
  json: <Reply extends z.ZodType>(call: Call, reply: Reply) => Promise<z.output<Reply>>;
  /**
   * `fetch` for a service's own client library, for addresses below the base. Responses are fully buffered. A status of 500 or
   * above throws an `OutboundError`, after retries if the method allows them.
   */
  fetch: (input: string | URL | Request, init?: RequestInit, limits?: { timeoutMs?: number }) => Promise<Response>;
  /** For kinds that exchange their secret: exchanges it again for the next call, because its permissions may have changed. */
  renew: () => void;
};

/** A connection as code uses it: calls go to its address with its credential, which is never exposed. */
export type ConnectionClient = Caller & {
  connection: Pick<ConnectionRow, "id" | "kind" | "name" | "baseUrl" | "settings">;
  stream: (call: Call) => ReturnType<Outbound["stream"]>;
  /** Removes the connection's credential from text of the other side. */
  hide: (text: string) => string;
};

/** A request that needs a credential for which the secret is exchanged. */
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
  /** Its name in messages. */
  label: string;
  /** Returns the test's message when there is no secret; `undefined` if the service may work without one. */
  needsSecret?: (settings: z.infer<(typeof SETTINGS)[Name]>) => string | undefined;
  /** Throws for a secret that cannot be that of such a connection. Default: it is one line. */
  checkSecret?: (
    secret: string | null | undefined,
    connection: { baseUrl: string },
    settings: z.infer<(typeof SETTINGS)[Name]>,
  ) => void;
  /** Returns the credential of a request, if that is not the secret itself. */
  exchange?: (secret: string, request: Exchanged, settings: z.infer<(typeof SETTINGS)[Name]>) => Promise<string>;
  /** Adds the credential to a request. */
  sign: (credential: string, request: Unsigned, settings: z.infer<(typeof SETTINGS)[Name]>) => Signature;
  /** What addresses of this kind look like; shown when an address is wrong. */
  addressHint: string;
  /** Makes a harmless request to the service and returns what is wrong. Throws if the call itself fails. */
  probe: (
    service: Caller,
    settings: z.infer<(typeof SETTINGS)[Name]>,
    connection: { id: string; name: string; ticketFields: StoredTicketFields },
  ) => Promise<string[]>;
};

export const bearer = (secret: string): Signature => ({ headers: { authorization: `Bearer ${secret}` } });
/** Throws for a private key, which only a GitHub App uses. */
export function checkToken(secret: string | null | undefined): void {
  if (secret?.includes("\n"))
    throw unprocessable(
      "/secret",
      "A private key is only used by a GitHub App: enter the App ID and the installation ID.",
    );
}
export const tokenNeeded = () => "There is no secret: enter a token.";
