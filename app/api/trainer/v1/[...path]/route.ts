import { serveTrainer } from "@/server/rest/trainer-endpoint";

export const dynamic = "force-dynamic";

export const GET = serveTrainer;
export const POST = serveTrainer;
