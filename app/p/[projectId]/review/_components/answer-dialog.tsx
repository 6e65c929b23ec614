"use client";
import { Button, Group, Modal, Stack, Textarea } from "@mantine/core";
import { useState } from "react";
import type { ChatAnswer, ChatPayload } from "@/server/services/datasets/chat-payload/schemas";
import { type AnswerForm, answerOfForm, formOfAnswer, withAnswers } from "./answer-form";

export type AnswerTask = { kind: "edit" | "pair"; payload: ChatPayload };

type Props = {
  /** What to edit; `null` while closed. */
  task: AnswerTask | null;
  onClose: () => void;
  onApprove: (payload: ChatPayload) => void;
};

/** Edits the proposed answer, or both answers of a pair, and approves the result. */
export function AnswerDialog({ task, onClose, onApprove }: Props) {
  // Keeps the content while the dialog fades out.
  const [shown, setShown] = useState(task);
  if (task !== null && (task.kind !== shown?.kind || task.payload !== shown.payload)) setShown(task);
  return (
    <Modal
      opened={task !== null}
      onClose={onClose}
      title={shown?.kind === "pair" ? "Make a pair" : "Edit the answer"}
      size="xl"
    >
      {shown === null ? null : <Fields task={shown} onClose={onClose} onApprove={onApprove} />}
    </Modal>
  );
}

const NO_ANSWER: ChatAnswer = { role: "assistant", content: "" };

function Fields({ task: { kind, payload }, onClose, onApprove }: Props & { task: AnswerTask }) {
  const rejectedBefore = payload.rejectedOutput?.message ?? NO_ANSWER;
  const [expected, setExpected] = useState(() => formOfAnswer(payload.expectedOutput.message));
  const [rejected, setRejected] = useState(() => formOfAnswer(rejectedBefore));
  const answer = answerOfForm(payload.expectedOutput.message, expected);
  const worse = kind === "pair" ? answerOfForm(rejectedBefore, rejected) : null;
  const problem = problemOfPair(answer, worse);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (problem === null) onApprove(withAnswers(payload, answer, worse));
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) event.currentTarget.requestSubmit();
      }}
    >
      <Stack gap="md">
        {kind === "pair" ? (
          <AnswerFields
            label="Rejected answer"
            description="The worse answer to the same messages."
            form={rejected}
            onChange={setRejected}
            autofocus
          />
        ) : null}
        <AnswerFields
          label={kind === "pair" ? "Preferred answer" : "Answer"}
          form={expected}
          onChange={setExpected}
          autofocus={kind === "edit"}
          error={problem}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={problem !== null} aria-keyshortcuts="Control+Enter">
            Approve
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const isEmpty = ({ content, tool_calls }: ChatAnswer) => !content?.trim() && !tool_calls;

/** Returns why the answers cannot be approved as they are, or `null`. */
function problemOfPair(answer: ChatAnswer, worse: ChatAnswer | null): string | null {
  if (isEmpty(answer)) return "Enter the answer.";
  if (worse !== null && isEmpty(worse)) return "A pair needs a rejected answer too.";
  if (worse !== null && JSON.stringify(worse) === JSON.stringify(answer)) return "The two answers are the same.";
  return null;
}

type FieldsProps = {
  label: string;
  description?: string;
  form: AnswerForm;
  onChange: (form: AnswerForm) => void;
  autofocus: boolean;
  error?: string | null;
};

const AnswerFields = ({ label, description, form, onChange, autofocus, error = null }: FieldsProps) => (
  <>
    <Textarea
      label={label}
      description={description}
      autosize
      minRows={4}
      maxRows={18}
      dir="auto"
      {...(autofocus ? { "data-autofocus": true } : {})}
      value={form.content}
      error={error}
      onChange={(event) => onChange({ ...form, content: event.currentTarget.value })}
    />
    {form.arguments.map((text, index) => (
      <Textarea
        // biome-ignore lint/suspicious/noArrayIndexKey: the calls of an answer keep their order
        key={index}
        label={`${label}: arguments of call ${index + 1}`}
        autosize
        maxRows={8}
        spellCheck={false}
        className="mono"
        value={text}
        onChange={(event) =>
          onChange({
            ...form,
            arguments: form.arguments.map((one, at) => (at === index ? event.currentTarget.value : one)),
          })
        }
      />
    ))}
  </>
);
