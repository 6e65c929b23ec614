import { mcp } from "@/server/mcp/endpoint";

export const dynamic = "force-dynamic";

export const GET = mcp;
export const POST = mcp;
export const PUT = mcp;
export const PATCH = mcp;
export const DELETE = mcp;
export const OPTIONS = mcp;
