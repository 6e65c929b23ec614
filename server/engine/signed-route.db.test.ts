import { expect, test } from "vitest";
import { POST, PUT } from "@/app/api/inngest/route";

/** In a separate file, because the environment is read only once. */
Object.assign(process.env, {
  INNGEST_BASE_URL: "http://127.0.0.1:9",
  INNGEST_EVENT_KEY: "event",
  INNGEST_SIGNING_KEY: "signkey-test-0123456789abcdef0123456789abcdef",
});

/** Returns a body of blanks, and a function that returns how many of its bytes were read. */
function blanks(bytes: number) {
  let taken = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (taken >= bytes) return controller.close();
        taken += 65_536;
        controller.enqueue(new Uint8Array(65_536).fill(0x20));
      },
    },
    { highWaterMark: 0 },
  );
  return { body, taken: () => taken };
}
const sent = (method: string, body: ReadableStream, headers = {}) =>
  new Request("http://localhost/api/inngest?fnId=whetstone-run-rules&stepId=step", {
    method,
    body,
    headers,
    duplex: "half",
  } as RequestInit) as never;

test("an unsigned request is refused before its body is read", async () => {
  for (const [method, door] of Object.entries({ POST, PUT })) {
    const { body, taken } = blanks(1 << 20);
    expect((await door(sent(method, body), undefined)).status).toBe(401);
    expect(taken()).toBe(0);
  }
});

test("a forged signature is refused, and its body is read only up to a limit", async () => {
  const headers = { "x-inngest-signature": `t=${Math.floor(Date.now() / 1000)}&s=${"0".repeat(64)}` };
  const small = new Response("{}").body as ReadableStream;
  expect((await POST(sent("POST", small, headers), undefined)).status).toBe(401);
  const { body, taken } = blanks(256 << 20);
  expect((await POST(sent("POST", body, headers), undefined)).status).toBe(413);
  expect(taken()).toBeLessThan(40 << 20);
});
