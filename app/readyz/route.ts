import { readiness } from "@/server/rest/readiness";

export const dynamic = "force-dynamic";
export const GET = () => readiness();
