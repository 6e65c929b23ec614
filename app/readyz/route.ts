import { readiness } from "@/server/rest/readiness";

export const dynamic = "force-dynamic";

let inFlight: Promise<Response> | undefined;

/** Anyone may ask, and each check makes several queries, so concurrent requests share one result. */
export async function GET(): Promise<Response> {
  inFlight ??= readiness().finally(() => {
    inFlight = undefined;
  });
  return (await inFlight).clone();
}
