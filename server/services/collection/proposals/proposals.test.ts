import { describe, expect, test } from "vitest";
import { assistant, called, conversationOf, user } from "@/bench/labelled/conversation";
import { validateChatPayload } from "@/server/services/datasets/chat-payload";
import { type CollectedOccurrence, type CollectionEvidence, type Objective, type Propose, proposals } from ".";
import { before } from "./drafts";
import { payloadOf } from "./payload-of";

const NOTHING: CollectionEvidence = { occurrences: [], feedback: [], goals: [] };
const GIVEN = { scale: null, comment: null, name: null, givenByUser: true, messageIndex: null, at: 0 } as const;

const occurrence = (rule: string, signal: string, turns: number[]): CollectedOccurrence => ({
  findingId: "fnd_1",
  rule,
  signal,
  title: "It failed",
  turns,
  reviewStatus: "unreviewed",
});

async function collect(
  objective: Objective,
  messages: Parameters<typeof conversationOf>,
  evidence: Partial<CollectionEvidence> = {},
  { propose = null, acceptsSilence = false }: { propose?: Propose | null; acceptsSilence?: boolean } = {},
) {
  const found = await proposals(
    conversationOf(...messages),
    { ...NOTHING, ...evidence },
    { objective, masking: "mask", acceptsSilence },
    propose,
  );
  for (const { payload } of found.proposals) expect(validateChatPayload(payload)).not.toHaveProperty("problems");
  return found;
}

describe("a conversation that is longer than an Example can be", () => {
  const BEGINNING = [
    user("What does the Pro plan cost?"),
    assistant("It costs 20 dollars."),
    user("Perfect, thank you!"),
    assistant("You're welcome!"),
  ];

  test("proposes no answer for a thank-you that may not be the last word", async () => {
    const evidence = { isCut: true };
    expect(await collect("preserve_successful_behavior", BEGINNING)).toMatchObject({ proposals: [{ turn: 1 }] });
    const cut = await collect("preserve_successful_behavior", BEGINNING, evidence);
    expect(cut).toMatchObject({ proposals: [], left: { too_large: 1 } });
  });

  test("is left out for a later thumbs down", async () => {
    const disliked = { ...GIVEN, kind: "thumb", value: "down", messageIndex: 2_400 } as const;
    const evidence = { isCut: true, feedback: [disliked] };
    const { left } = await collect("preserve_successful_behavior", BEGINNING, evidence);
    expect(left).toEqual({ negative_feedback: 1 });
  });

  test("proposes corrections within an Example's reach, and leaves out later ones and Findings", async () => {
    const correction = { ...GIVEN, kind: "correction", value: "It costs 25 dollars." } as const;
    const feedback = [{ ...correction, messageIndex: 1 }, { ...correction, messageIndex: 2_401 }, correction];
    const occurrences = [occurrence("broken-response", "language_mismatch", [2_400])];
    const found = await collect("correct_failed_conversations", BEGINNING, { isCut: true, feedback, occurrences });
    expect(found).toMatchObject({
      proposals: [{ turn: 1, reasonCode: "corrected_by_feedback" }],
      left: { too_large: 3 },
    });
  });
});

describe("a conversation with an inner agent", () => {
  const conversation = conversationOf(
    user("Plan my trip"),
    ...called("research", { about: "flights" }, "Two flights."),
    { role: "system", content: "You find flights." },
    user("Find flights to Oslo"),
    assistant("There are two flights to Oslo."),
    assistant("You fly to Oslo on Friday at eight."),
  );
  const of = (agents: Record<number, string>) => ({
    ...conversation,
    messages: conversation.messages.map((message, index) => ({ ...message, agent: agents[index] ?? null })),
  });
  const sent = (turn: number, agents: Record<number, string>) => {
    const outcome = payloadOf(of(agents), before(turn), { expected: "Better" }, { turn });
    return "left" in outcome ? outcome.left : outcome.payload.input.messages.map(({ content }) => content);
  };
  const RESEARCHER = { 3: "researcher", 4: "researcher", 5: "researcher" };

  test("teaches an answer to the user from what its model was sent, without what agents told each other", () => {
    expect(sent(6, RESEARCHER)).toEqual(["Plan my trip", null, "Two flights."]);
  });

  test("teaches an inner agent's answer from what that agent was told or, if it was handed the conversation, from this", () => {
    expect(sent(5, RESEARCHER)).toEqual(["You find flights.", "Find flights to Oslo"]);
    expect(sent(5, { 5: "booker" })).toEqual(["Plan my trip", null, "Two flights.", "Find flights to Oslo"]);
  });
});

describe("preserve successful behavior", () => {
  const SUCCESS = [
    { role: "system", content: "You sell tickets." },
    user("Book two seats for Friday, please"),
    ...called("book_seats", { count: 2, day: "Friday" }, '{"reference":"A17"}'),
    assistant("Two seats for Friday are booked under A17."),
    user("Perfect, thank you!"),
    assistant("You're welcome!"),
  ];

  test("proposes the answer that the user thanked for, with the earlier call and its result", async () => {
    const { proposals: found, left } = await collect("preserve_successful_behavior", SUCCESS);
    expect(found).toMatchObject([
      {
        reasonCode: "accepted_by_user",
        reason: "The user accepted this answer: “Perfect, thank you!”.",
        turn: 4,
        source: "conversation",
        proposedByModel: false,
      },
    ]);
    expect(found[0]!.payload.input.messages.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool"]);
    expect(found[0]!.payload.expectedOutput.message.content).toBe("Two seats for Friday are booked under A17.");
    expect(left).toEqual({});
  });

  test("leaves out a conversation with a Finding, unless the Finding was dismissed", async () => {
    const finding = occurrence("tool-failure", "tool_error", [3]);
    const open = await collect("preserve_successful_behavior", SUCCESS, { occurrences: [finding] });
    expect(open).toEqual({ proposals: [], left: { has_finding: 1 } });
    const dismissed = { ...finding, reviewStatus: "dismissed" as const };
    const closed = await collect("preserve_successful_behavior", SUCCESS, { occurrences: [dismissed] });
    expect(closed.proposals).toHaveLength(1);
  });

  test("proposes an answer with a thumbs up, unless it also has a thumbs down", async () => {
    const messages = [user("What is the capital of Peru?"), assistant("The capital of Peru is Lima.")];
    const up = { ...GIVEN, kind: "thumb" as const, value: "up", messageIndex: 1, comment: "quick" };
    const liked = await collect("preserve_successful_behavior", messages, { feedback: [up] });
    expect(liked.proposals).toMatchObject([
      { reasonCode: "thumbs_up", turn: 1, reason: "A user gave this answer a thumbs up and wrote “quick”." },
    ]);
    const down = { ...up, value: "down" };
    const mixed = await collect("preserve_successful_behavior", messages, { feedback: [up, down] });
    expect(mixed).toEqual({ proposals: [], left: { negative_feedback: 1 } });
  });

  test("proposes the final answer when the whole conversation has a high score", async () => {
    const messages = [user("What is the capital of Peru?"), assistant("The capital of Peru is Lima.")];
    const score = { ...GIVEN, kind: "score" as const, value: 5, scale: { min: 1, max: 5 } };
    const { proposals: found } = await collect("preserve_successful_behavior", messages, { feedback: [score] });
    expect(found).toMatchObject([{ reasonCode: "high_score", turn: 1 }]);
  });

  test.each([
    ["silence", [user("What is the capital of Peru?"), assistant("The capital of Peru is Lima.")]],
    ["thanks for trying", [user("Book it"), assistant("I booked the seats for Friday."), user("thanks anyway")]],
    [
      "a reservation",
      [user("Book it"), assistant("I booked the seats for Friday."), user("Thanks, but it's too late")],
    ],
    ["thanks for a refusal", [user("Refund me"), assistant("I'm sorry, I can't refund that."), user("ok thanks")]],
    ["a yes to a question", [user("Book it"), assistant("Shall I book two seats?"), user("Yes, thank you")]],
    [
      "thanks for an error",
      [user("Book it"), assistant("Sorry, something went wrong with the booking."), user("ok, thanks")],
    ],
    ["thanks for good wishes", [user("It works"), assistant("Great news, I'm glad that it works!"), user("thanks")]],
    ["thanks for a courtesy", [user("Hello"), assistant("You're welcome, have a great day!"), user("thanks")]],
  ])("does not count %s as evidence", async (_, messages) => {
    const { proposals: found, left } = await collect("preserve_successful_behavior", messages);
    expect(found).toEqual([]);
    expect(left).toEqual({ no_positive_evidence: 1 });
  });

  test.each([
    ["Danke, das hat geholfen!", "Der Zug fährt um 9 Uhr von Gleis 4."],
    ["Merci beaucoup !", "Le train part à 9 heures du quai 4."],
    ["¡Muchas gracias!", "El tren sale a las 9 del andén 4."],
    ["谢谢，太好了", "火车九点从四号站台出发，请提前十分钟到达。"],
  ])("reads “%s” as acceptance", async (thanks, answer) => {
    const { proposals: found } = await collect("preserve_successful_behavior", [
      user("?"),
      assistant(answer),
      user(thanks),
    ]);
    expect(found).toMatchObject([{ reasonCode: "accepted_by_user", turn: 1 }]);
  });

  test("leaves out content other than text, and calls without results", async () => {
    const image = { role: "user", content: [{ type: "text", text: "What is this?" }, { type: "image_url" }] };
    const ending = [assistant("This is a picture of a lighthouse."), user("Thanks!")];
    const picture = await collect("preserve_successful_behavior", [image, ...ending]);
    expect(picture.left).toEqual({ not_text: 1 });
    const [call] = called("look", {}, "");
    const open = await collect("preserve_successful_behavior", [user("What is this?"), call!, ...ending]);
    expect(open.left).toEqual({ incomplete_tool_calls: 1 });
  });
});

describe("correct failed conversations", () => {
  const ASKED = user("How long is the return window?");
  const FAILED = assistant("The return window is 90 days.");

  test("proposes a person's correction, with the failed answer as the rejected one", async () => {
    const correction = { ...GIVEN, kind: "correction" as const, value: "You can return items within 30 days." };
    const { proposals: found } = await collect("correct_failed_conversations", [ASKED, FAILED], {
      feedback: [correction],
      occurrences: [occurrence("user-correction", "explicit_correction", [1])],
    });
    expect(found).toMatchObject([
      { reasonCode: "corrected_by_feedback", source: "correction", turn: 1, answerTurn: null, findingId: "fnd_1" },
    ]);
    const { input, expectedOutput, rejectedOutput } = found[0]!.payload;
    expect(input.messages).toEqual([ASKED]);
    expect(expectedOutput.message.content).toBe("You can return items within 30 days.");
    expect(rejectedOutput?.message.content).toBe("The return window is 90 days.");
  });

  test("leaves out a correction that only talks about the answer", async () => {
    const remark = { ...GIVEN, kind: "correction" as const, value: "You should have asked for the order first" };
    const { proposals: found, left } = await collect("correct_failed_conversations", [ASKED, FAILED], {
      feedback: [remark],
    });
    expect(found).toEqual([]);
    expect(left).toEqual({ correction_is_a_remark: 1, no_finding: 1 });
  });

  test("proposes the call that succeeded instead of the one that failed, if it could have been made right away", async () => {
    const messages = [
      user("Where is order #W123?"),
      ...called("get_order", { id: "W123" }, "Error: order not found"),
      ...called("get_order", { id: "#W123" }, '{"status":"shipped"}'),
      assistant("It has been shipped."),
    ];
    const evidence = { occurrences: [occurrence("tool-failure", "tool_error", [2])] };
    const { proposals: found } = await collect("correct_failed_conversations", messages, evidence);
    expect(found).toMatchObject([{ reasonCode: "recovered_call", turn: 1, answerTurn: 3, source: "finding" }]);
    const { input, expectedOutput, rejectedOutput } = found[0]!.payload;
    expect(input.messages).toHaveLength(1);
    const argumentsOf = (output: typeof rejectedOutput) => output?.message.tool_calls?.[0]?.function.arguments;
    expect(argumentsOf(expectedOutput)).toBe('{"id":"#W123"}');
    expect(argumentsOf(rejectedOutput)).toBe('{"id":"W123"}');
  });

  test("does not take a call about something else for a correction of the failed one", async () => {
    const messages = [
      user("Where is order W123?"),
      ...called("get_order", { id: "W123" }, "Error: order not found"),
      ...called("get_order", { id: "X998877" }, '{"status":"shipped"}'),
      assistant("Another order has been shipped."),
    ];
    const evidence = { occurrences: [occurrence("tool-failure", "tool_error", [2])] };
    const { proposals: found, left } = await collect("correct_failed_conversations", messages, evidence);
    expect(found).toEqual([]);
    expect(left).toEqual({ depends_on_later_messages: 1 });
  });

  test("does not take the user's second suggestion for a correction of the first", async () => {
    const messages = [
      user("I am ann1@shop.se, or else ann2@shop.se"),
      ...called("find_user", { email: "ann1@shop.se" }, "Error: user not found"),
      ...called("find_user", { email: "ann2@shop.se" }, '{"id":7}'),
      assistant("I found you."),
    ];
    const evidence = { occurrences: [occurrence("tool-failure", "tool_error", [2])] };
    const { left } = await collect("correct_failed_conversations", messages, evidence);
    expect(left).toEqual({ depends_on_later_messages: 1 });
  });

  test("proposes the later answer to the same request, without its apology", async () => {
    const messages = [
      user("How do I reset my password?"),
      assistant("Our stores open at nine."),
      user("How do I reset my password??"),
      assistant("Sorry about that. Open Settings, then choose Reset password."),
      user("That worked, thanks"),
    ];
    const evidence = { occurrences: [occurrence("user-dissatisfaction", "rephrased_request", [2])] };
    const { proposals: found } = await collect("correct_failed_conversations", messages, evidence);
    expect(found).toMatchObject([{ reasonCode: "recovered_answer", turn: 1, answerTurn: 3, findingId: "fnd_1" }]);
    const { input, expectedOutput, rejectedOutput } = found[0]!.payload;
    expect(input.messages).toHaveLength(1);
    expect(expectedOutput.message.content).toBe("Open Settings, then choose Reset password.");
    expect(rejectedOutput?.message.content).toBe("Our stores open at nine.");
  });

  test("asks the connected model only when nobody corrected the answer, and marks its proposal", async () => {
    const asked: Parameters<Propose>[0][] = [];
    const propose: Propose = async (request) => {
      asked.push(request);
      return { answer: "The return window is 30 days." };
    };
    const evidence = { occurrences: [occurrence("ungrounded-answer", "contradicts_tool_result", [1])] };
    const without = await collect("correct_failed_conversations", [ASKED, FAILED], evidence);
    expect(without).toEqual({ proposals: [], left: { no_better_answer: 1 } });
    const { proposals: found } = await collect("correct_failed_conversations", [ASKED, FAILED], evidence, { propose });
    expect(asked).toMatchObject([{ failedAnswer: "The return window is 90 days.", problem: "It failed" }]);
    expect(found).toMatchObject([
      { reasonCode: "proposed_by_model", proposedByModel: true, turn: 1, answerTurn: null },
    ]);
  });

  test("leaves users' verbal corrections to the objective that learns from them", async () => {
    const { left } = await collect("correct_failed_conversations", [ASKED, FAILED], {
      occurrences: [occurrence("user-correction", "explicit_correction", [1])],
    });
    expect(left).toEqual({ finding_of_user_correction: 1 });
  });
});

describe("learn from user corrections", () => {
  const CORRECTED = [
    user("Book a table on Tuesday at seven for four people"),
    assistant("I have a table for four people on Wednesday at seven."),
    user("No, I said Tuesday."),
    assistant("Sorry, my mistake. I have a table for four people on Tuesday at seven."),
  ];

  test("ends the context before the rejected answer when the user only repeated themselves", async () => {
    const { proposals: found } = await collect("learn_from_user_corrections", [...CORRECTED, user("Great, thanks!")]);
    expect(found).toMatchObject([
      { reasonCode: "user_correction_accepted", source: "correction", turn: 1, answerTurn: 3 },
    ]);
    const { input, expectedOutput, rejectedOutput } = found[0]!.payload;
    expect(input.messages).toHaveLength(1);
    expect(expectedOutput.message.content).toBe("I have a table for four people on Tuesday at seven.");
    expect(rejectedOutput?.message.content).toContain("Wednesday");
  });

  test("includes a correction with information that the accepted answer needs", async () => {
    const { proposals: found } = await collect("learn_from_user_corrections", [
      user("Tell me about python"),
      assistant("Pythons are large snakes of Africa and Asia."),
      user("No, I meant the programming language."),
      assistant("Python is a programming language that was created by Guido van Rossum."),
      user("Exactly what I needed, thank you"),
    ]);
    const { messages } = found[0]!.payload.input;
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    // Whatever a job's settings say about earlier answers, the rejected one is not taught.
    expect(messages[1]).toMatchObject({ content: expect.stringContaining("snakes"), weight: 0 });
    expect(found[0]!.payload.rejectedOutput?.message.content).toContain("snakes");
  });

  test("includes the correction of a user who changed their mind", async () => {
    const { proposals: found } = await collect("learn_from_user_corrections", [
      user("I want 4 tickets for the 3 o'clock show"),
      assistant("You want 4 tickets, is that correct?"),
      user("No, I want 3 tickets."),
      assistant("You want 3 tickets, is that correct?"),
      user("Yes, that's right"),
    ]);
    expect(found).toMatchObject([{ reasonCode: "user_correction_accepted", turn: 1, answerTurn: 3 }]);
    expect(found[0]!.payload.input.messages).toHaveLength(3);
  });

  test("needs acceptance, unless continuing counts as acceptance", async () => {
    const messages = [...CORRECTED, user("Now find a taxi there")];
    const strict = await collect("learn_from_user_corrections", messages);
    expect(strict).toEqual({ proposals: [], left: { correction_not_accepted: 1 } });
    const lenient = await collect("learn_from_user_corrections", messages, {}, { acceptsSilence: true });
    expect(lenient.proposals).toMatchObject([{ reasonCode: "user_correction_unopposed" }]);
  });

  test("proposes nothing when the assistant repeats itself", async () => {
    const { proposals: found, left } = await collect("learn_from_user_corrections", [
      ...CORRECTED.slice(0, 3),
      CORRECTED[1]!,
      user("thanks"),
    ]);
    expect(found).toEqual([]);
    expect(left).toEqual({ correction_not_complied_with: 1 });
  });
});

describe("teach project knowledge", () => {
  const GOAL = {
    id: "kg_1",
    title: "Return policy",
    description: "Items can be returned within 30 days with the receipt.",
    keyPhrases: ["return window", "return policy"],
  };
  const MESSAGES = [
    user("How long is the return window?"),
    assistant("You can return items within 30 days, with the receipt."),
  ];

  test("proposes the answer to a question about the goal, and explains what matched", async () => {
    const { proposals: found } = await collect("teach_project_knowledge", MESSAGES, { goals: [GOAL] });
    expect(found).toMatchObject([
      {
        reasonCode: "knowledge_goal",
        source: "knowledge_goal",
        knowledgeGoalId: "kg_1",
        turn: 1,
        reason:
          "It is about the Knowledge goal “Return policy”: the user asked about “return window”, and nobody objected to the answer.",
      },
    ]);
  });

  test("uses only the filter's goals", async () => {
    const found = await proposals(
      conversationOf(...MESSAGES),
      { ...NOTHING, goals: [GOAL] },
      { objective: "teach_project_knowledge", masking: "mask", filters: { knowledgeGoalIds: ["kg_2"] } },
    );
    expect(found).toEqual({ proposals: [], left: { no_goal: 1 } });
  });

  test.each([
    ["goal_not_answered", [user("What is the weather?"), assistant("It is sunny and warm today.")]],
    ["not_answered_well", [MESSAGES[0]!, assistant("Unfortunately I don't know the return window.")]],
    ["not_answered_well", [...MESSAGES, user("That is wrong")]],
    ["goal_not_answered", [user("I know the return policy. Is the shop open?"), assistant("It opens at nine today.")]],
    ["not_answered_well", [MESSAGES[0]!, assistant("Which item would you like to return?")]],
  ])("leaves out an answer as %s", async (code, messages) => {
    const { proposals: found, left } = await collect("teach_project_knowledge", messages, { goals: [GOAL] });
    expect(found).toEqual([]);
    expect(left).toEqual({ [code]: 1 });
  });
});

test("masks personal data, or holds the proposal back", async () => {
  const conversation = conversationOf(
    user("My address is ann.lind@mail.se, where is my parcel?"),
    assistant("I wrote to ann.lind@mail.se that it arrives tomorrow."),
    user("Thank you!"),
  );
  const objective = "preserve_successful_behavior";
  const { proposals: found } = await proposals(conversation, NOTHING, { objective, masking: "mask" });
  expect(found[0]!.payload.input.messages[0]!.content).toBe("My address is <EMAIL_1>, where is my parcel?");
  expect(found[0]!.payload.expectedOutput.message.content).toBe("I wrote to <EMAIL_1> that it arrives tomorrow.");
  expect(found[0]!.masked).toBe(2);
  const held = await proposals(conversation, NOTHING, { objective, masking: "hold_back" });
  expect(held).toEqual({ proposals: [], left: { personal_data: 1 } });
});
