import { NonRetriableError, RetryAfterError } from "inngest";
import { expect, test } from "vitest";
import { describeEngine, until } from "./testing/describe-engine";

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const PATIENCE = 120_000;

describeEngine("Functions", (engine) => {
  test("steps run once each, in order, and return their results", { timeout: PATIENCE }, async () => {
    const { client, unique, start, patienceMs } = engine();
    const log: unknown[] = [];
    const fn = client.createFunction({ id: "steps", triggers: { event: unique("go") } }, async ({ event, step }) => {
      const one = await step.run("one", () => {
        log.push("one");
        return { sum: event.data.n + 1, text: "123", nothing: null };
      });
      const two = await step.run("two", () => {
        log.push("two");
        return "456";
      });
      await step.run("end", () => void log.push({ one, two }));
    });
    await start([fn]);
    await client.send({ name: unique("go"), data: { n: 1 } });
    await until(() => log.length >= 3, patienceMs);
    await sleep(100);
    expect(log).toEqual(["one", "two", { one: { sum: 2, text: "123", nothing: null }, two: "456" }]);
  });

  test("a failed step is retried, and the steps before it are not", { timeout: PATIENCE }, async () => {
    const { client, unique, start, patienceMs } = engine();
    const log: string[] = [];
    const fn = client.createFunction(
      { id: "retried", retries: 2, triggers: { event: unique("go") } },
      async ({ step, attempt }) => {
        await step.run("first", () => void log.push("first"));
        await step.run("second", () => {
          log.push(`second ${attempt}`);
          if (attempt < 2) throw new RetryAfterError("not yet", 1000);
        });
        await step.run("third", () => void log.push(`third ${attempt}`));
      },
    );
    await start([fn]);
    await client.send({ name: unique("go"), data: {} });
    await until(() => log.length >= 5, patienceMs);
    expect(log).toEqual(["first", "second 0", "second 1", "second 2", "third 0"]);
  });

  test("a step that failed for good can be caught", { timeout: PATIENCE }, async () => {
    const { client, unique, start, patienceMs } = engine();
    const log: string[] = [];
    const fn = client.createFunction(
      { id: "caught", retries: 0, triggers: { event: unique("go") } },
      async ({ step }) => {
        try {
          await step.run("fails", () => {
            throw new Error("broken \u0000 \ud800");
          });
        } catch (error) {
          await step.run("repair", () => void log.push((error as Error).message.split(" ")[0] ?? ""));
        }
      },
    );
    await start([fn]);
    await client.send({ name: unique("go"), data: {} });
    await until(() => log.length >= 1, patienceMs);
    expect(log).toEqual(["broken"]);
  });

  test("a function that fails for good starts its failure handler, once", { timeout: PATIENCE }, async () => {
    const { client, unique, start, patienceMs } = engine();
    const log: unknown[] = [];
    const fn = client.createFunction(
      {
        id: "fails",
        retries: 3,
        triggers: { event: unique("go") },
        onFailure: async ({ event, error, step }) => {
          await step.run("note", () => void log.push([error.message, event.data.event.data]));
        },
      },
      async () => {
        log.push("called");
        throw new NonRetriableError("no way");
      },
    );
    await start([fn]);
    await client.send({ name: unique("go"), data: { n: 7 } });
    await until(() => log.length >= 2, patienceMs);
    await sleep(100);
    expect(log).toEqual(["called", ["no way", { n: 7 }]]);
  });

  test("a step after a sleep runs no earlier than the sleep's end", { timeout: PATIENCE }, async () => {
    const { client, unique, start, patienceMs } = engine();
    const times: number[] = [];
    const fn = client.createFunction({ id: "sleeps", triggers: { event: unique("go") } }, async ({ step }) => {
      await step.run("before", () => void times.push(performance.now()));
      await step.sleep("nap", "1s");
      await step.run("after", () => void times.push(performance.now()));
    });
    await start([fn]);
    await client.send({ name: unique("go"), data: {} });
    await until(() => times.length >= 2, patienceMs);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(990);
  });

  test("parallel steps run concurrently, and each is retried alone", { timeout: PATIENCE }, async () => {
    const { client, unique, start, patienceMs } = engine();
    const log: unknown[] = [];
    let begun = 0;
    const fn = client.createFunction(
      { id: "parallel", retries: 1, triggers: { event: unique("go") } },
      async ({ step }) => {
        const work = async (name: string) => {
          log.push(name);
          begun += 1;
          await until(() => begun === 2);
          return name;
        };
        let tries = 0;
        const results = await Promise.all([
          step.run("a", () => work("a")),
          step.run("b", () => work("b")),
          step.run("c", async () => {
            log.push("c");
            if (log.filter((entry) => entry === "c").length < 2) throw new RetryAfterError("again", 1000);
            tries += 1;
            return tries;
          }),
        ]);
        await step.run("end", () => void log.push(results));
      },
    );
    await start([fn]);
    await client.send({ name: unique("go"), data: {} });
    await until(() => log.some(Array.isArray), patienceMs);
    expect(log.at(-1)).toEqual(["a", "b", 1]);
    expect(log.slice(0, -1).sort()).toEqual(["a", "b", "c", "c"]);
  });

  test("a wait ends with the matching event", { timeout: PATIENCE }, async () => {
    const { client, unique, start, patienceMs } = engine();
    const log: unknown[] = [];
    const fn = client.createFunction({ id: "waits", triggers: { event: unique("go") } }, async ({ step }) => {
      await step.run("begin", () => void log.push("begin"));
      const answer = await step.waitForEvent("answer", {
        event: unique("answer"),
        timeout: "1m",
        if: "event.data.id == async.data.id",
      });
      await step.run("end", () => void log.push(answer?.data));
    });
    await start([fn]);
    await client.send({ name: unique("go"), data: { id: 1 } });
    await until(() => log.length === 1, patienceMs);
    // Sent repeatedly until the wait is stored: events before that do not count as the answer.
    await until(async () => {
      await client.send([
        { name: unique("answer"), data: { id: 2, text: "other" } },
        { name: unique("answer"), data: { id: 1, text: "mine" } },
      ]);
      await sleep(200);
      return log.length === 2;
    }, patienceMs);
    expect(log[1]).toEqual({ id: 1, text: "mine" });
  });

  test("a wait that times out ends with null", { timeout: PATIENCE }, async () => {
    const { client, unique, start, patienceMs } = engine();
    const log: unknown[] = [];
    const fn = client.createFunction({ id: "waits", triggers: { event: unique("go") } }, async ({ step }) => {
      const answer = await step.waitForEvent("answer", { event: unique("never"), timeout: "1s" });
      await step.run("end", () => void log.push(answer));
    });
    await start([fn]);
    await client.send({ name: unique("go"), data: {} });
    await until(() => log.length === 1, patienceMs);
    expect(log).toEqual([null]);
  });

  test("an invoked function's result and its error reach the caller", { timeout: PATIENCE }, async () => {
    const { client, unique, start, patienceMs } = engine();
    const log: unknown[] = [];
    const child = client.createFunction(
      { id: "child", retries: 0, triggers: { event: unique("never") } },
      async ({ event, step }) => {
        if (event.data.n < 0) throw new NonRetriableError("negative");
        return step.run("double", () => event.data.n * 2);
      },
    );
    const parent = client.createFunction({ id: "parent", triggers: { event: unique("go") } }, async ({ step }) => {
      const twice = await step.invoke("twice", { function: child, data: { n: 21 } });
      const failed = await step.invoke("failed", { function: child, data: { n: -1 } }).catch((error) => error.message);
      await step.run("end", () => void log.push(twice, failed));
    });
    await start([child, parent]);
    await client.send({ name: unique("go"), data: {} });
    await until(() => log.length >= 2, patienceMs);
    expect(log[0]).toBe(42);
    expect(log[1]).toContain("negative");
  });

  test("an event sent by a step starts the functions that match it", { timeout: PATIENCE }, async () => {
    const { client, unique, start, patienceMs } = engine();
    const log: string[] = [];
    const sender = client.createFunction({ id: "sender", triggers: { event: unique("go") } }, async ({ step }) => {
      await step.sendEvent("tell", [
        { name: unique("told"), data: { kind: "a" } },
        { name: unique("told"), data: { kind: "b" } },
      ]);
    });
    const listener = (id: string, condition?: string) =>
      client.createFunction(
        { id, triggers: { event: unique("told"), ...(condition ? { if: condition } : {}) } },
        async ({ event }) => void log.push(`${id} ${event.data.kind}`),
      );
    await start([sender, listener("all"), listener("only-b", "event.data.kind == 'b'")]);
    await client.send({ name: unique("go"), data: {} });
    await until(() => log.length >= 3, patienceMs);
    await sleep(200);
    expect(log.sort()).toEqual(["all a", "all b", "only-b b"]);
  });

  test("an event that is delivered twice starts one run", { timeout: PATIENCE }, async () => {
    const { client, unique, start, patienceMs } = engine();
    const log: string[] = [];
    const fn = client.createFunction(
      { id: "once", triggers: { event: unique("go") } },
      async ({ event }) => void log.push(event.id ?? ""),
    );
    await start([fn]);
    await client.send({ name: unique("go"), id: unique("same"), data: {} });
    await client.send({ name: unique("go"), id: unique("same"), data: {} });
    await until(() => log.length >= 1, patienceMs);
    await client.send({ name: unique("go"), id: unique("same"), data: {} });
    await sleep(300);
    expect(log).toHaveLength(1);
  });

  test("events with the same idempotency key start one run", { timeout: PATIENCE }, async () => {
    const { client, unique, start, patienceMs } = engine();
    const log: number[] = [];
    const fn = client.createFunction(
      { id: "keyed", idempotency: "event.data.order", triggers: { event: unique("go") } },
      async ({ event }) => void log.push(event.data.order),
    );
    await start([fn]);
    for (const order of [1, 1, 2]) await client.send({ name: unique("go"), data: { order } });
    await until(() => log.includes(2), patienceMs);
    await sleep(300);
    expect(log.sort()).toEqual([1, 2]);
  });

  test("a run is cancelled by a matching cancel event", { timeout: PATIENCE }, async () => {
    const { client, unique, start, patienceMs } = engine();
    const log: string[] = [];
    const fn = client.createFunction(
      {
        id: "cancelled",
        triggers: { event: unique("go") },
        cancelOn: [{ event: unique("stop"), if: "event.data.id == async.data.id" }],
      },
      async ({ event, step }) => {
        await step.run("begin", () => void log.push(`begin ${event.data.id}`));
        await step.sleep("nap", "4s");
        await step.run("end", () => void log.push(`end ${event.data.id}`));
      },
    );
    await start([fn]);
    await client.send([1, 2].map((id) => ({ name: unique("go"), data: { id } })));
    await until(() => log.length >= 2, patienceMs);
    await sleep(300);
    await client.send({ name: unique("stop"), data: { id: 1 } });
    await until(() => log.includes("end 2"), patienceMs);
    await sleep(300);
    expect(log).not.toContain("end 1");
  });

  test("a key's concurrency limit is respected", { timeout: PATIENCE }, async () => {
    const { client, unique, start, patienceMs } = engine();
    const now = new Map<string, number>();
    let most = 0;
    let mostOfAll = 0;
    let done = 0;
    const fn = client.createFunction(
      {
        id: "limited",
        concurrency: { limit: 1, key: "event.data.projectId" },
        triggers: { event: unique("go") },
      },
      async ({ event, step }) => {
        await step.run("work", async () => {
          const key = event.data.projectId;
          now.set(key, (now.get(key) ?? 0) + 1);
          most = Math.max(most, now.get(key) ?? 0);
          mostOfAll = Math.max(
            mostOfAll,
            [...now.values()].reduce((a, b) => a + b),
          );
          await until(() => mostOfAll === 2);
          await sleep(60);
          now.set(key, (now.get(key) ?? 0) - 1);
          done += 1;
        });
      },
    );
    await start([fn]);
    await client.send(["a", "a", "a", "b", "b", "b"].map((projectId) => ({ name: unique("go"), data: { projectId } })));
    await until(() => done === 6, patienceMs);
    expect(most).toBe(1);
    expect(mostOfAll).toBe(2);
  });
});
