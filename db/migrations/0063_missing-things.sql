-- Causes that may be grouped otherwise now are placed again, by the job that places causes without keys: failures of tools that
-- say what is missing, and what frustrated users do. Those beyond the limit on Findings stay where they are.
UPDATE "finding_causes" c SET "keys" = NULL
WHERE c."keys" <> '{}' AND NOT EXISTS (
	SELECT 1 FROM "findings" f WHERE f."project_id" = c."project_id" AND f."id" = c."finding_id" AND f."gathers_rest"
) AND (
	c."signal" IN ('frustration', 'abandonment')
	OR (c."rule_id" IN ('tool-failure', 'agent-loop', 'task-failure', 'broken-response') AND c."cause" ~ ': .*(\m(no|not|cannot|unable|failed|unknown|nonexistent|insufficient|too)\M|n[''’]t)')
);
