import { readiness } from "@/server/rest/readiness";

export const dynamic = "force-dynamic";

let asked: Promise<Response> | undefined;

/** Anyone may ask, and each answer takes several questions to the database: who asks meanwhile is told the same. */
export async function GET(): Promise<Response> {
  asked ??= readiness().finally(() => {
    asked = undefined;
  });
  return (await asked).clone();
}
