import { readiness } from "@/server/rest/readiness";

export const dynamic = "force-dynamic";

let asked: Promise<Response> | undefined;

/** Anyone may ask, and each check makes several queries, so concurrent requests share one result. */
export async function GET(): Promise<Response> {
  asked ??= readiness().finally(() => {
    asked = undefined;
  });
  return (await asked).clone();
}
