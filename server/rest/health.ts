import { z } from "zod";
import { env } from "@/env";
import { version } from "@/package.json";

/** `status` says that the process responds; it says nothing about storage, jobs or providers. */
export const healthReply = z.object({ status: z.literal("ok"), version: z.string(), deploymentTarget: z.string() });

/** Returns liveness. Has no dependencies, so that a slow database does not get a healthy process restarted. */
export const health = () =>
  Response.json(
    { status: "ok", version, deploymentTarget: env().DEPLOYMENT_TARGET } satisfies z.infer<typeof healthReply>,
    { headers: { "cache-control": "no-store" } },
  );
