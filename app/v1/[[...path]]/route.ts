import { v1 } from "@/server/rest/v1";

/** Otherwise Next wraps each request to detect whether the response may be prerendered. */
export const dynamic = "force-dynamic";

export const GET = v1;
export const HEAD = v1;
export const POST = v1;
export const PUT = v1;
export const PATCH = v1;
export const DELETE = v1;
export const OPTIONS = v1;
