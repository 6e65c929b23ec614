import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import { ingestReported } from "@/server/services/telemetry/testing";
import { executeRuleRuns, listFindings, listRuleRuns, scheduleInactiveConversations } from "..";
import { RULES } from "../rules";

test.each(["interrupted-graph", "cancelled-call", "deeply-nested", "arguments-run-together"])(
  "nothing in %s is a Finding against the application",
  async (name) => {
    const { ctx } = await testProject();
    await ingestReported(ctx, name);
    await scheduleInactiveConversations(ctx.db, Date.now() + 3_600_000);
    const { runs } = await listRuleRuns(ctx, {});
    await executeRuleRuns(
      ctx,
      runs.map(({ id }) => id),
    );
    expect(runs).toHaveLength(RULES.length);
    expect((await listFindings(ctx, {})).findings.map(({ title }) => title)).toEqual([]);
  },
);
