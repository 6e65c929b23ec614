import { afterEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import { type Engine, startEngine } from "@/server/engine/engine";
import { QUICK, until } from "@/server/engine/testing/describe-engine";
import { createConnection } from "@/server/services/connections";
import { ringStatus, rotateSecrets } from "@/server/services/secrets";
import { inngest } from "../client";
import { functions } from ".";

let engine: Engine | undefined;
afterEach(() => engine?.stop());

test("after a rotation the worker rewraps the stored secrets and removes the old key", async () => {
  const { ctx } = await testProject();
  for (let n = 0; n < 3; n++) {
    await createConnection(ctx, { kind: "github", name: `GitHub ${n}`, secret: `ghp_${n}` });
  }
  const ringKey = await rotateSecrets(db());
  expect((await ringStatus(db())).map(({ secrets }) => secrets)).toEqual([0, 3]);
  engine = await startEngine({ db: db(), client: inngest, functions, ...QUICK });
  await until(async () => (await ringStatus(db())).length === 1);
  expect(await ringStatus(db())).toMatchObject([{ id: ringKey, current: true, opens: true, secrets: 3 }]);
}, 30_000);
