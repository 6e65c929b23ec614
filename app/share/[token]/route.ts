import { db } from "@/db/pool";
import { addressOf } from "@/server/auth/address";
import { ServiceError } from "@/server/platform/errors";
import { requestIdOf } from "@/server/platform/http/request-id";
import { openShareLink } from "@/server/services/sharing";
import { messagePage, type Page, sharedPage } from "../_lib/shared-page";

type Params = { params: Promise<{ token: string }> };
type Reply = { status: number; page: Page; retryAfter?: number | undefined };

/** Neither this page's address nor its content may reach a search engine, a cache or another site. */
const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex, nofollow, noarchive",
};

async function replyTo(token: string, headers: Headers): Promise<Reply> {
  try {
    const shared = await openShareLink(db(), token, {
      requestId: requestIdOf(headers),
      address: addressOf(headers),
      door: "page",
    });
    if (shared.state === "open") return { status: 200, page: sharedPage(shared) };
    return shared.state === "closed"
      ? { status: 410, page: messagePage("closed") }
      : { status: 404, page: messagePage("unknown") };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "rate_limited") throw error;
    return { status: 429, page: messagePage("limited"), retryAfter: error.retryAfter };
  }
}

/** A read-only copy for whoever has its link: a document without scripts, so that it calls nothing. */
export async function GET({ headers }: Request, { params }: Params) {
  const { status, page, retryAfter } = await replyTo((await params).token, headers);
  return new Response(page(headers.get("x-nonce") ?? ""), {
    status,
    headers: { ...HEADERS, ...(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) }) },
  });
}
