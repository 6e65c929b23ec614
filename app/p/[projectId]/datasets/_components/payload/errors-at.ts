import type { FieldError } from "@/server/platform/errors";
import type { PayloadForm } from "./payload-form";

/** Problems by the JSON pointer of the field that shows them; `""` is the whole payload. */
export type ErrorsAt = Readonly<Record<string, string>>;

/** Returns the pointers at which the editor of a payload shows problems. */
export function placesOf({ messages, expected, rejected }: PayloadForm): Set<string> {
  const ofMessage = (at: string, calls: readonly unknown[]) => [
    at,
    ...["role", "content", "name", "tool_call_id"].map((field) => `${at}/${field}`),
    ...calls.flatMap((_, index) => {
      const call = `${at}/tool_calls/${index}`;
      return [call, `${call}/id`, `${call}/function/name`, `${call}/function/arguments`];
    }),
  ];
  return new Set([
    "/input/messages",
    "/input/tools",
    "/expectedOutput/weight",
    ...messages.flatMap(({ calls }, index) => ofMessage(`/input/messages/${index}`, calls)),
    ...ofMessage("/expectedOutput/message", expected.calls),
    ...(rejected === null ? [] : ofMessage("/rejectedOutput/message", rejected.calls)),
  ]);
}

/**
 * Returns the problems by the pointers of `places`. A problem without a place of its own goes to the closest enclosing one,
 * with the rest of its pointer before its text. `below` is the pointer of the payload in the request; problems outside it
 * keep their own pointer.
 */
export function errorsAt(errors: readonly FieldError[], places: ReadonlySet<string>, below = "/payload"): ErrorsAt {
  const shown: Record<string, string> = {};
  for (const { path, message } of errors) {
    const inside = path === below || path.startsWith(`${below}/`);
    const pointer = inside ? path.slice(below.length) : path;
    let place = pointer;
    while (inside && place !== "" && !places.has(place)) place = place.slice(0, place.lastIndexOf("/"));
    const rest = pointer.slice(place.length).replace(/^\//, "");
    const said = rest === "" ? message : `${rest}: ${message}`;
    shown[place] = shown[place] === undefined ? said : `${shown[place]}\n${said}`;
  }
  return shown;
}
