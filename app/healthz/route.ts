import { health } from "@/server/rest/health";

export const dynamic = "force-dynamic";
export const GET = health;
