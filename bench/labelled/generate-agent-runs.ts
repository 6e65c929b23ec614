import type { Case } from "./generate-broken-responses";
import { between, pick } from "./random";
import type { LabelledInput } from "./read-labelled";

type Random = () => number;
type Messages = LabelledInput["messages"];

const TOOLS = ["get_order", "search_flights", "read_file", "list_tickets", "find_user", "query_database", "open_page"];

const ask = (content: string) => ({ role: "user", content });
const say = (content: string) => ({ role: "assistant", content });
const call = (name: string, args: unknown, result: string): Messages => [
  { role: "assistant", content: "", tool_calls: [{ name, arguments: JSON.stringify(args) }] },
  { role: "tool", name, content: result },
];
const record = (random: Random, id: number) =>
  JSON.stringify({
    id,
    owner: pick(random, ["Ada", "Grace", "Alan"]),
    amount: between(random, 10, 999),
    open: random() > 0.5,
  });
const step = (random: Random, name = pick(random, TOOLS), id = between(random, 1, 9999)) =>
  call(name, { id }, record(random, id));
const steps = (random: Random, count: number) => Array.from({ length: count }, () => step(random)).flat();
const again = (messages: Messages, times: number) => Array.from({ length: times }, () => messages).flat();

const run = (random: Random, middle: Messages, end = "That is everything I found."): Messages => [
  ask("Please look into case 4711 and tell me what happened."),
  ...steps(random, between(random, 1, 3)),
  ...middle,
  say(end),
];

type Maker = (random: Random) => Messages;

const ordinary: Maker = (random) => run(random, steps(random, between(random, 2, 6)));
const failing = (random: Random, reply: string) => call(pick(random, TOOLS), { id: between(random, 1, 99) }, reply);

/** Positive cases and lookalikes per Signal, modelled on loops in public agent traces. */
const MAKERS: Readonly<Record<string, { shows: readonly Maker[]; near: readonly Maker[] }>> = {
  repeated_tool_call: {
    shows: [
      (random) => run(random, again(step(random), between(random, 3, 9))),
      (random) => {
        const [first, second] = [step(random), step(random)];
        return run(random, [...again(first, 3), ...second, ...again(first, 3)]);
      },
      (random) =>
        run(
          random,
          Array.from({ length: 5 }, (_, at) =>
            call("get_plan", { id: `P${100 + at}` }, `Error: Plan P${100 + at} not found`),
          ).flat(),
        ),
    ],
    near: [
      (random) =>
        run(
          random,
          Array.from({ length: 6 }, (_, at) => call("list_tickets", { page: at }, record(random, at))).flat(),
        ),
      (random) =>
        run(
          random,
          Array.from({ length: 5 }, (_, at) => call("get_job_status", { id: 7 }, `{"progress": ${at * 20}}`)).flat(),
        ),
      (random) => {
        const one = step(random);
        return [...run(random, one), ask("Has it changed? Please look again."), ...one, say("It is as before.")];
      },
      (random) => run(random, Array.from({ length: 6 }, (_, at) => call("add_item", { item: at }, "ok")).flat()),
    ],
  },
  alternating_tool_calls: {
    shows: [
      (random) =>
        run(random, again([...step(random, "open_page", 1), ...step(random, "go_back", 2)], between(random, 4, 8))),
      (random) =>
        run(
          random,
          again([...step(random, "read_file", 1), ...step(random, "run_tests", 2), ...step(random, "edit_file", 3)], 4),
        ),
    ],
    near: [
      (random) =>
        run(
          random,
          Array.from({ length: 5 }, (_, at) => [
            ...step(random, "edit_file", at),
            ...call("run_tests", {}, `${5 - at} failed`),
          ]).flat(),
        ),
      (random) =>
        run(
          random,
          Array.from({ length: 5 }, () => [...step(random, "search_flights"), ...step(random, "get_order")]).flat(),
        ),
    ],
  },
  repeated_message: {
    shows: [
      (random) => {
        const words =
          "I understand your concern. Let me check the details of your reservation once more and come back to you with what I find.";
        return Array.from({ length: between(random, 3, 6) }, (_, at) => [
          ask(`And what about point ${at}?`),
          say(words),
        ]).flat();
      },
      (random) =>
        Array.from({ length: between(random, 4, 6) }, (_, at) => [
          ask(`It is number ${at}.`),
          say(
            `I could not find any flight from Frankfurt to Madrid on May ${at + 1}. Could you please give me another date around that week so that I can look again for you?`,
          ),
        ]).flat(),
    ],
    near: [
      () => [
        ask("Hi"),
        say("Hello! How can I help you today?"),
        ask("Thanks"),
        say("You are welcome!"),
        ask("Thanks again"),
        say("You are welcome!"),
      ],
      (random) =>
        Array.from({ length: 4 }, (_, at) => [
          ask(`Tell me of item ${at}.`),
          say(
            `Item ${at} costs ${between(random, 2, 90)} euros; ${pick(random, ["it is in stock.", "it ships on Monday.", "it comes in blue and in red."])}`,
          ),
        ]).flat(),
      () => [
        ask("What are your hours?"),
        say("We are open from nine to five on every day of the week except Sunday, when we are closed."),
        ask("What are your hours?"),
        say("We are open from nine to five on every day of the week except Sunday, when we are closed."),
      ],
    ],
  },
  restarted_work: {
    shows: [
      (random) => {
        const block = steps(random, between(random, 3, 5));
        return run(random, [...block, ...steps(random, 2), ...block]);
      },
      (random) => {
        const block = steps(random, 2);
        return run(random, [...block, say("That did not work. Let me start over from the beginning."), ...block]);
      },
    ],
    near: [
      (random) =>
        run(random, [
          ...steps(random, 4),
          say("To restart the router, unplug it and plug it in again."),
          ...steps(random, 2),
        ]),
      (random) => {
        const one = step(random);
        return run(random, [...one, ...steps(random, 3), ...one]);
      },
    ],
  },
  tool_error_ignored: {
    shows: [
      (random) => [
        ask("Book it."),
        ...failing(random, "Error: no seats left"),
        say("Your seat has been booked successfully."),
      ],
      (random) => [
        ask("Send it to Ada."),
        ...failing(random, '{"error": "mailbox is full"}'),
        say("I have sent the message to Ada for you."),
      ],
    ],
    near: [
      (random) => [
        ask("Book it."),
        ...failing(random, "Error: no seats left"),
        say("I am sorry, there are no seats left on this flight."),
      ],
      (random) => [
        ask("Book it."),
        ...failing(random, "Error: no seats left"),
        ...step(random, "book_seat"),
        say("Your seat has been booked successfully."),
      ],
      (random) => [
        ask("Book it."),
        ...failing(random, "Error: passport missing"),
        say("Could you give me the number of your passport?"),
      ],
    ],
  },
  tool_timeout: {
    shows: [
      (random) =>
        run(
          random,
          failing(
            random,
            pick(random, [
              "Error: request timed out after 30s",
              "HTTP 504 Gateway Timeout",
              "TimeoutError: deadline exceeded",
              "ReadTimeout: read timed out",
              '{"error":"ETIMEDOUT"}',
            ]),
          ),
        ),
    ],
    near: [
      (random) => run(random, call("read_config", {}, '{"timeout": 30, "retries": 2}')),
      (random) => run(random, failing(random, "Error: order not found")),
      (random) =>
        run(
          random,
          call(
            "search",
            { q: "timeouts" },
            "1. How to avoid timeout errors in HTTP clients\n2. What a timed out request means\n3. Choosing a deadline\n4. Retries",
          ),
        ),
    ],
  },
  unknown_tool: {
    shows: [
      (random) =>
        run(
          random,
          failing(
            random,
            pick(random, [
              "Error: unknown tool",
              "Tool 'fly' not found",
              "fly is not a valid tool, try one of [walk, run].",
              "Error: No such tool: fly",
              "Function fly is not defined",
            ]),
          ),
        ),
    ],
    near: [
      (random) =>
        run(
          random,
          failing(
            random,
            pick(random, [
              "Error: user not found",
              "Error: unknown column name",
              "File with ID 7 not found.",
              "Error: invalid tool arguments",
            ]),
          ),
        ),
    ],
  },
  invalid_tool_arguments: {
    shows: [
      (random) =>
        run(
          random,
          failing(
            random,
            pick(random, [
              "TypeError: f() missing 1 required positional argument: 'id'",
              "ValidationError: 1 validation error for Input",
              "Error: parameter 'date' is required",
              "Invalid date format. Use YYYY-MM-DD.",
              '{"error": "\\"to\\" must be a string"}',
            ]),
          ),
        ),
      (random) =>
        run(random, [
          { role: "assistant", content: "", tool_calls: [{ name: "find_user", arguments: '{"id": 7, "name": ' }] },
          { role: "tool", name: "find_user", content: "Error: could not read the call" },
        ]),
    ],
    near: [
      (random) =>
        run(
          random,
          failing(
            random,
            pick(random, [
              "Error: user not found",
              "Error: payment declined",
              "Permission denied",
              "Error: not enough balance",
            ]),
          ),
        ),
    ],
  },
};

/** Generates agent runs with and without problems, deterministically for a stream of random numbers. */
export function agentRuns(random: Random, perSignal: number): Case[] {
  return Object.entries(MAKERS).flatMap(([signal, { shows, near }]) => [
    ...Array.from({ length: perSignal }, (_, at) => ({
      signal,
      shows: true,
      messages: shows[at % shows.length]!(random),
    })),
    ...Array.from({ length: perSignal }, (_, at) => ({
      signal,
      shows: false,
      messages: near[at % near.length]!(random),
    })),
    ...Array.from({ length: perSignal }, () => ({ signal, shows: false, messages: ordinary(random) })),
  ]);
}
