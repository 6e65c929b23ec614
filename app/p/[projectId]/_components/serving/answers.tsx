"use client";
import { Text } from "@mantine/core";
import { useState } from "react";
import { Dot } from "@/app/_components/values/dot";
import { plural } from "@/app/_lib/format";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import classes from "./answers.module.css";
import { formWords } from "./words";

type Answer = NonNullable<RouterOutputs["certificates"]["get"]["certificate"]["answers"]>[number];
const FIRST = 3;

const textOf = (content: unknown) => (typeof content === "string" ? content : JSON.stringify(content ?? ""));
const askedIn = ({ messages }: Answer) =>
  textOf(messages.findLast(({ role }) => role === "user")?.content ?? messages.at(-1)?.content);
const differs = ({ reference, subjects }: Answer) => subjects.some(({ content }) => content !== reference.content);

/** Each prompt with the checkpoint's answer next to those of its forms; prompts whose answers differ come first. */
export function Answers({ answers }: { answers: readonly Answer[] }) {
  const [all, setAll] = useState(false);
  const sorted = answers.toSorted((a, b) => Number(differs(b)) - Number(differs(a)));
  const shown = all ? sorted : sorted.slice(0, FIRST);
  return (
    <>
      <ul className={classes.list} aria-label="Answers">
        {shown.map((answer, n) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the answers of a finished comparison keep their order
          <li key={n}>
            <p className={classes.asked} dir="auto">
              {askedIn(answer)}
            </p>
            <dl className={classes.answers}>
              <dt>Checkpoint</dt>
              <dd dir="auto">
                {answer.reference.content || (
                  <Text span inherit c="dimmed">
                    Empty
                  </Text>
                )}
              </dd>
              {answer.subjects.map((subject) => (
                <SubjectAnswer
                  key={`${subject.kind} ${subject.quantization} ${subject.deploymentId}`}
                  subject={subject}
                  reference={answer.reference.content}
                />
              ))}
            </dl>
          </li>
        ))}
      </ul>
      {all || answers.length <= FIRST ? null : (
        <button type="button" className={classes.more} onClick={() => setAll(true)}>
          Show all {plural(answers.length, "prompt")}
        </button>
      )}
    </>
  );
}

type SubjectProps = { subject: Answer["subjects"][number]; reference: string };

function SubjectAnswer({ subject, reference }: SubjectProps) {
  return (
    <>
      <dt>{formWords(subject)}</dt>
      <dd dir="auto">
        {subject.content === null ? (
          <Dot color="var(--severity-critical)" hollow>
            No answer
          </Dot>
        ) : subject.content === reference ? (
          <Dot color="var(--state-ok)">The same</Dot>
        ) : (
          subject.content
        )}
      </dd>
    </>
  );
}
