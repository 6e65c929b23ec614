import { expect, test } from "vitest";
import { GET, POST, PUT } from "@/app/api/inngest/route";

test("with the embedded engine the functions are not reachable over HTTP", async () => {
  for (const [method, door] of Object.entries({ GET, POST, PUT })) {
    const request = new Request("http://localhost/api/inngest?fnId=whetstone-run-rules&stepId=step", { method });
    expect((await door(request as never, undefined)).status).toBe(404);
  }
});
