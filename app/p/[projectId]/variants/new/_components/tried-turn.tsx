"use client";
import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { IconChevronLeft, IconChevronRight, IconPlayerPlay } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import Link from "next/link";
import { Refused } from "@/app/_components/feedback/refused";
import { Money } from "@/app/_components/values/money";
import { formatCount } from "@/app/_lib/format";
import { speakerOf } from "@/app/_lib/speaker";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { RecordedTurn } from "@/server/services/proof/variants/schemas";
import type { changeOf } from "./form-values";
import classes from "./new-variant.module.css";

type Props = {
  projectId: string;
  turn: RecordedTurn;
  place: { at: number; of: number; show: (at: number) => void };
  change: ReturnType<typeof changeOf>;
};

/** A recorded answer with what led to it, and the answer of the variant as it is now. */
export function TriedTurn({ projectId, turn, place: { at, of, show }, change }: Props) {
  const trpc = useTRPC();
  const { conversationId, messageIndex, prompt, recorded } = turn;
  const asked = useMutation(trpc.variants.try.mutationOptions());
  const href = `/p/${encodeURIComponent(projectId)}/conversations/${encodeURIComponent(conversationId)}`;
  const answer = asked.data?.answer ?? null;
  return (
    <section aria-label="A recorded answer" className={classes.turn}>
      <div className={classes.head}>
        <h2 className={classes.heading}>
          <Link href={href}>Conversation {formatCount(at + 1)}</Link> of {formatCount(of)}
        </h2>
        <Tooltip label="Previous">
          <ActionIcon aria-label="Previous conversation" disabled={at === 0} onClick={() => show(at - 1)}>
            <IconChevronLeft size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
        <Tooltip label="Next">
          <ActionIcon aria-label="Next conversation" disabled={at === of - 1} onClick={() => show(at + 1)}>
            <IconChevronRight size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </div>
      <ol className={classes.messages}>
        {prompt.slice(prompt[0]?.role === "system" ? 1 : 0).map(({ role, content }, nth) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages keep their order
          <li key={nth}>
            <span className={classes.role}>{speakerOf({ role, agent: null })}</span>
            <div className={classes.text} dir="auto">
              {content}
            </div>
          </li>
        ))}
      </ol>
      <Answer title="Recorded" text={recorded} />
      <Button
        variant="default"
        leftSection={<IconPlayerPlay size={14} aria-hidden />}
        loading={asked.isPending}
        disabled={"model" in change && change.model === ""}
        onClick={() => asked.mutate({ projectId, conversationId, messageIndex, ...change })}
      >
        Try it
      </Button>
      <Refused error={asked.error} />
      <div role="status">
        {asked.data?.problem ? <p className={classes.quiet}>{asked.data.problem}</p> : null}
        {answer ? (
          <>
            <Answer title="With the variant" text={answer.content} />
            <p className={classes.quiet}>
              {answer.tokens
                ? `${formatCount(answer.tokens.input)} tokens in, ${formatCount(answer.tokens.output)} out, `
                : ""}
              <Money usd={answer.cost} note={answer.cost === null ? "The model has no price." : undefined} />
              {answer.finishReason === "length" ? ", cut off" : ""}
            </p>
          </>
        ) : null}
      </div>
    </section>
  );
}

const Answer = ({ title, text }: { title: string; text: string }) => (
  <section aria-label={title} className={classes.answer}>
    <h3 className={classes.role}>{title}</h3>
    {text.trim() === "" ? (
      <p className={classes.quiet}>Nothing was said.</p>
    ) : (
      <div className={classes.text} dir="auto">
        {text}
      </div>
    )}
  </section>
);
