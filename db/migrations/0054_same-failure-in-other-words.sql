-- Failures of a tool are compared by what they say: a background function places those without keys.
UPDATE "finding_causes" SET "keys" = NULL WHERE "signal" IN (
  'tool_error', 'tool_error_ignored', 'repeated_tool_call', 'restarted_work', 'unresolved_request', 'ended_by_limit');
