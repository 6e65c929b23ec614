import { describe, expect, test } from "vitest";
import { FAILURE_MATCH_SCORE } from "./failure-text";
import { readToolFailure } from "./read-tool-failure";

const isFailure = (result: string) => (readToolFailure(result)?.score ?? 0) >= FAILURE_MATCH_SCORE;

describe("a tool's result that reports a failure", () => {
  test.each([
    "Error: Order not found",
    "Error: no seats left on flight HAT088",
    "ValueError: No emails found. Try with a different query.",
    "java.lang.NullPointerException: Cannot invoke method",
    "TypeError: f() missing 1 required positional argument: 'id'",
    "Error executing tool get_order: connection reset",
    "An error occurred while fetching the page.",
    "Failed to open the file: permission denied",
    "bash: foo: command not found",
    "ls: cannot access 'x': No such file or directory",
    "HTTP 503 Service Unavailable",
    "404 Not Found",
    "Request failed with status code 429",
    "User not found",
    "Invalid date format. Use YYYY-MM-DD.",
    "Rate limit exceeded, try again later",
    "The operation timed out.",
    "Permission denied",
    "Execution failed. Traceback: see below",
    "exitcode: 1 (execution failed)\nCode output: unknown language",
    "The script ran, then exited with Unix exit code: 2\nIts output was:\nusage: x",
    '{"error": "mailbox is full"}',
    '{"error": {"code": 404, "message": "no such order"}}',
    '{"status": "error", "message": "bad id"}',
    '{"success": false, "reason": "card declined"}',
    '{"isError": true, "content": [{"type": "text", "text": "boom"}]}',
    '{"statusCode": 500, "body": ""}',
    '{"exit_code": 127, "stdout": "", "stderr": "sh: 1: foo: not found"}',
    '{"detail": "Not Found"}',
    '[{"type":"text","text":"Error: quota exceeded"}]',
    "{'error': 'no such table'}",
    "<error>could not connect</error>",
    "<html><head><title>403 Forbidden</title></head></html>",
    "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\nKeyError: 'x'\n",
  ])("%s", (result) => expect(isFailure(result)).toBe(true));
});

describe("a tool's result that only mentions errors", () => {
  test.each([
    "",
    "ok",
    "[]",
    "No results found.",
    "0 errors, 0 warnings",
    "Build finished without errors.",
    '{"error": null, "data": {"id": 7}}',
    '{"error": "", "response": "sunny"}',
    '{"errors": [], "items": [1, 2]}',
    '{"success": true, "error_count": 3}',
    '{"order_id": "W1", "status": "failed", "items": 3, "total": 9.5, "owner": "Ada"}',
    '[{"title": "How to fix Error: ENOENT"}, {"title": "Exception handling"}]',
    "Search Result 1:\nHow to fix ValueError: bad input\nhttps://example.com/a\nSearch Result 2:\nError: not found explained",
    "2024-05-01 10:00:01 INFO started\n2024-05-01 10:00:02 ERROR disk full\n2024-05-01 10:00:03 INFO stopped\n2024-05-01 10:00:04 INFO up",
    "1  class OrderError(Exception):\n2      pass\n3\n4  def f():\n5      raise OrderError('not found')",
    "# Error handling\n\nWhen a request fails, the server answers with an error. Not found is 404.\n\nSee also: timeouts.",
    "exitcode: 0 (execution succeeded)\nCode output: Error: unsupported language provided.",
    "The script ran, then exited with Unix exit code: 0\nIts output was:\nIssue: Traceback (most recent call last):\nKeyError: 1",
    "Speed test failed: No Connection.",
    "Errors: 0",
  ])("%s", (result) => expect(isFailure(result)).toBe(false));
});

test("the offsets delimit the message in the result", () => {
  const result =
    "exitcode: 1 (execution failed)\nCode output: Traceback (most recent call last):\n  File \"a.py\"\nKeyError: 'x'\n";
  const failure = readToolFailure(result)!;
  expect(failure.message).toBe("KeyError: 'x'");
  expect(result.slice(failure.start, failure.end)).toBe(failure.message);
});

test("the message of a JSON error is decoded, and its offsets refer to the JSON", () => {
  const result = '{"error": "line one\\nline two"}';
  const failure = readToolFailure(result)!;
  expect(failure.message).toBe("line one\nline two");
  expect(result.slice(failure.start, failure.end)).toBe("line one\\nline two");
});
