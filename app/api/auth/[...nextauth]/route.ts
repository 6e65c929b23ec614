import { handleAuth } from "@/server/auth/next-auth-handler";

export const GET = handleAuth;
export const POST = handleAuth;
