import { v1 } from "@/server/rest/v1";

// In development only (next.config.mjs), where a change of the sources loads it again; see server/rest/node.ts for the other.
export const GET = v1;
export const HEAD = v1;
export const POST = v1;
export const PUT = v1;
export const PATCH = v1;
export const DELETE = v1;
export const OPTIONS = v1;
