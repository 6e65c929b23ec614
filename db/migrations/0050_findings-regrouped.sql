ALTER TABLE "findings" ADD COLUMN "gathers_rest" boolean DEFAULT false NOT NULL;--> statement-breakpoint
-- Causes of these Signals are grouped otherwise now: a background function places those without keys.
UPDATE "finding_causes" SET "keys" = NULL WHERE "signal" IN (
  'tool_error', 'invalid_tool_arguments', 'unknown_tool', 'tool_timeout', 'tool_error_ignored', 'repeated_tool_call',
  'restarted_work', 'unresolved_request', 'ended_by_limit', 'premature_claim', 'empty_response', 'refusal', 'over_refusal',
  'explicit_correction', 'accepted_correction', 'ignored_correction', 'rephrased_request', 'repeated_message',
  'leaked_template', 'unfulfilled_promise', 'negative_feedback');
