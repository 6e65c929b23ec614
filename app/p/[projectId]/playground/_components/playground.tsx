"use client";
import { Button, NumberInput, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useQueryStates } from "nuqs";
import { useState } from "react";
import { PageHeader } from "@/app/_components/layout/page-header";
import { useTRPC } from "@/app/_lib/trpc/client";
import { OnlyFor } from "../../_components/access/only-for";
import { NoTrainer, useWithoutTrainer } from "../../_components/training/no-trainer";
import { storeDraft, type VariantDraft } from "../../_components/variants/draft";
import { newVariantHref } from "../../_components/variants/hrefs";
import { ConversationContext } from "./conversation-context";
import { Pane } from "./pane";
import classes from "./playground.module.css";
import { SaveAsVariant } from "./save-as-variant";
import { useContextMessages } from "./use-context";
import { usePane } from "./use-pane";
import { type Target, TEMPERATURE_MAX, viewParsers } from "./view";

const MAX_TOKENS_MAX = 32_768;

/** Sends the same prompt to two models, side by side; can also replay a conversation up to one of its turns. */
export const Playground = ({ projectId }: { projectId: string }) => (
  <OnlyFor capability="models:manage" title="Playground">
    <Panes projectId={projectId} />
  </OnlyFor>
);

/** Compares the checkpoint on one side with its base model on the other, unless something else was chosen. */
function useTargets(projectId: string, given: { a: Target | null; b: Target | null }) {
  const trpc = useTRPC();
  const checkpoints = useQuery(trpc.checkpoints.list.queryOptions({ projectId, limit: 100 }));
  const checkpoint = checkpoints.data?.checkpoints.find(
    ({ id }) => given.b?.kind === "checkpoint" && id === given.b.id,
  );
  const base: Target | null = checkpoint === undefined ? null : { kind: "base", id: checkpoint.baseModel.id };
  return { a: given.a ?? base, b: given.b };
}

function Panes({ projectId }: { projectId: string }) {
  const router = useRouter();
  const [view, setView] = useQueryStates(viewParsers, { history: "replace" });
  const { a, b } = useTargets(projectId, view);
  const unattached = useWithoutTrainer(projectId, true);
  const first = usePane(projectId, a);
  const second = usePane(projectId, b);
  const context = useContextMessages(projectId, view.conversation, view.turn);
  const [prompt, setPrompt] = useState("");
  const [system, setSystem] = useState("");
  if (unattached) {
    return (
      <>
        <PageHeader title="Playground" />
        <NoTrainer projectId={projectId} />
      </>
    );
  }
  const asked = [...(a === null ? [] : [first]), ...(b === null ? [] : [second])];
  const busy = first.busy || second.busy;
  const isFirst = first.answers.length + second.answers.length === 0;
  // A conversation's messages can be answered without a further prompt.
  const isAnswerable = isFirst && context.before.length > 0;
  const canSend = asked.length > 0 && !busy && !context.query.isLoading && (prompt.trim() !== "" || isAnswerable);
  const send = () => {
    if (!canSend) return;
    const settings = { system, temperature: view.temperature, maxTokens: view.max };
    for (const pane of asked) void pane.send(context.before, prompt.trim() === "" ? null : prompt, settings);
    setPrompt("");
  };
  const saveAsVariant = (asked: VariantDraft["asked"]) => {
    const systemPrompt = system.trim() === "" ? null : system.trim();
    storeDraft(projectId, { systemPrompt, temperature: view.temperature, maxTokens: view.max, asked });
    const turn =
      view.conversation === null || view.turn === null
        ? {}
        : { conversation: view.conversation, message: String(view.turn) };
    router.push(newVariantHref(projectId, { ...turn, draft: "stored" }));
  };
  return (
    <>
      <PageHeader
        title="Playground"
        aside={
          <>
            {isFirst ? null : (
              <Button
                variant="default"
                onClick={() => {
                  first.clear();
                  second.clear();
                }}
              >
                Clear answers
              </Button>
            )}
            <SaveAsVariant targets={[a, b]} onSave={saveAsVariant} />
          </>
        }
      />
      {view.conversation === null || view.turn === null ? null : (
        <ConversationContext
          projectId={projectId}
          conversationId={view.conversation}
          turn={view.turn}
          context={context}
          onRemove={() => void setView({ conversation: null, turn: null })}
        />
      )}
      <div className={classes.panes}>
        <Pane
          projectId={projectId}
          name="First pane"
          target={a}
          onTarget={(target) => {
            first.clear();
            void setView({ a: target });
          }}
          pane={first}
        />
        <Pane
          projectId={projectId}
          name="Second pane"
          target={b}
          onTarget={(target) => {
            second.clear();
            void setView({ b: target });
          }}
          pane={second}
        />
      </div>
      <form
        className={classes.ask}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <details>
          <summary>System prompt{system.trim() === "" ? "" : " (set)"}</summary>
          <Textarea
            mt={6}
            aria-label="System prompt"
            placeholder="Without one, the conversation’s own is used."
            autosize
            minRows={2}
            maxRows={6}
            value={system}
            onChange={(event) => setSystem(event.currentTarget.value)}
          />
        </details>
        <div className={classes.line}>
          <Textarea
            className={classes.box}
            aria-label="Prompt"
            placeholder={
              isAnswerable ? "Send to answer the conversation, or add to it" : "Ask both models the same question"
            }
            autosize
            minRows={2}
            maxRows={8}
            value={prompt}
            onChange={(event) => setPrompt(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey)) return;
              event.preventDefault();
              send();
            }}
          />
          <div className={classes.settings}>
            <NumberInput
              size="xs"
              label="Temperature"
              w={92}
              min={0}
              max={TEMPERATURE_MAX}
              step={0.1}
              decimalScale={2}
              value={view.temperature}
              onChange={(value) => void setView({ temperature: Number(value) || 0 })}
            />
            <NumberInput
              size="xs"
              label="Max tokens"
              w={92}
              min={1}
              max={MAX_TOKENS_MAX}
              allowDecimal={false}
              value={view.max}
              onChange={(value) => void setView({ max: Number(value) || 1 })}
            />
            {busy ? (
              <Button
                variant="default"
                onClick={() => {
                  first.stop();
                  second.stop();
                }}
              >
                Stop
              </Button>
            ) : (
              <Button type="submit" disabled={!canSend} title="⌘↵">
                {isAnswerable && prompt.trim() === "" ? "Answer" : "Send"}
              </Button>
            )}
          </div>
        </div>
      </form>
    </>
  );
}
