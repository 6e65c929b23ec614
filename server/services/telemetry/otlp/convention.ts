import type { PromptReference, SpanType } from "../schemas";
import type { IdReader } from "./readers/ids";
import type { MessageSource } from "./readers/message-source";
import type { Reader } from "./readers/reader";
import type { SpanView } from "./readers/span-view";
import type { Attributes, AttributeValue } from "./types";
import type { Counting, Quantity } from "./usage/counting";

/** The fields that are read, and what reads each. */
export type Fields = {
  /** The client's own id of the conversation. */
  conversationId: IdReader;
  /** The same as a resource attribute, which all spans of a process share. */
  resourceConversationId: IdReader;
  /** The end user's id. */
  userId: IdReader;
  /** The name of what sent the span; an attribute of its resource. */
  serviceName: Reader<string>;
  /** The version or release of what sent the span; an attribute of its resource. */
  version: Reader<string>;
  /** The managed prompt that a call was made from, with its version if there is one. */
  prompt: Reader<PromptReference>;
  /** What people tag a conversation with. Those of all conventions are combined. */
  labels: Reader<string[]>;
  /** The arms of experiments that a call of the gateway belongs to. */
  arms: Reader<string[]>;

  /** The type of a span, as the client states it. */
  spanType: Reader<SpanType>;
  /** The model's provider. */
  provider: Reader<string>;
  /** The model that the call asked for. */
  requestedModel: Reader<string>;
  /** The model that responded. */
  responseModel: Reader<string>;
  /** The model that responded, or the requested one if the call failed. */
  responseOrRequestedModel: Reader<string>;
  /** The requested model, or the one that responded if the requested one is known from another attribute. */
  requestedOrResponseModel: Reader<string>;
  /** The provider's id of the response. */
  responseId: Reader<string>;
  /** Why the model stopped, one for each choice. */
  finishReasons: Reader<string | string[]>;
  /** The same in the span's messages or events. */
  finishReasonsOfSpan: (view: SpanView) => readonly (string | undefined)[];
  /** Messages that a call or agent was given, under a name that says so. */
  inputMessages: MessageSource;
  /** Messages that it responded with, under a name that says so. */
  outputMessages: MessageSource;
  /** What any span was given: messages of a call, but any value of a wrapper. */
  inputs: MessageSource;
  /** What any span responded with. */
  outputs: MessageSource;
  /** The system prompt, if it is sent separately from the messages. */
  systemMessages: MessageSource;
  /** The call's cost, US dollars. */
  reportedCost: Reader<number>;
  /** Duration in microseconds of the stream whose end the span reports. */
  streamUs: Reader<number>;
  /** The tier in which the call was served. */
  servedTier: Reader<string>;
  /** The tier that the call asked for. */
  requestedTier: Reader<string>;
  /** How the call was served beside its tier. */
  surcharges: Surcharge;

  /** Attributes with a figure of the call's usage each. */
  usageFigures: readonly [name: string, quantity: Quantity];
  /** Attributes that hold an object of figures, with its path in them. */
  usageObjects: readonly [name: string, ...path: string[]];
  /** Attributes that hold an object of details, with the vendors' name of what it details. */
  usageDetails: readonly [name: string, container: string];

  /** The name of a tool that was run. */
  toolName: Reader<string>;
  /** The id of the call that the tool was run for. */
  toolCallId: Reader<string>;
  /** What the tool was given. */
  toolArguments: Reader<AttributeValue>;
  /** What the tool returned. */
  toolResult: Reader<AttributeValue>;
  /** Events of a tool's span that hold the same. */
  toolEvents: Readonly<Partial<Record<"arguments" | "result", string>>>;

  /** Whether the span failed, for clients that do not set its status. */
  failed: Reader<boolean>;
  /** The error's type, if no exception event has it. */
  errorType: Reader<string>;
  /** The error's message, if neither an exception event nor the status has it. */
  errorMessage: Reader<string>;
  /** What people or evaluators say of a call, in its attributes, its events or a span of their own. */
  feedback: { takes: readonly string[]; read: (view: SpanView) => readonly GivenFeedback[] };
};

/** A way of serving that some vendors charge more for; `standard` are the values that cost nothing more. */
type Surcharge = Reader<string> & { standard?: readonly string[]; prefix?: string };

/** Feedback as sent. `onParent`: it is about the span's parent; `responseId` names the model call that it is about. */
export type GivenFeedback = { onParent: boolean; atUs: number } & {
  [Part in "name" | "value" | "label" | "comment" | "evaluator" | "responseId"]?: AttributeValue | undefined;
};

/** How a span ended that did not fail, though an exception ended it. */
export type ControlFlow = "interrupted" | "cancelled" | "handed over";

/** Where an exporter has the fields. Of several sources of a field, an earlier one is trusted more. */
export type Sources = { readonly [Field in keyof Fields]?: readonly Fields[Field][] };

/** Everything known of one exporter. A trailing `*` of an attribute's name stands for any suffix. */
export type Convention = Sources & {
  name: string;
  /** The file that was read attribute by attribute, and its commit; `null` if only spans and other projects' notes were. */
  source: string | null;
  /** Sources that count only if no other convention has the field. */
  fallback?: Sources;
  /** Attributes that only its spans of one type have, for those without a stated type. */
  marks?: Partial<Record<"agent" | "tool" | "llm", readonly string[]>>;
  /** The tools that a call was given, in any of the forms that `toolDefinitionsOf` reads. They are read when a call is replayed. */
  tools?: (attributes: Attributes) => readonly unknown[];
  /** How it counts, if not as OpenTelemetry does. */
  counting?: Counting;
  /** How it counts under OpenTelemetry's names; one of `marks` tells its spans from others: an attribute, or one with a value. */
  dialect?: { counting: Counting; marks: readonly (readonly [name: string, value?: string])[] };
  /** Prefixes of attributes that are usage, whatever their name. */
  usagePrefixes?: readonly string[];
  /** Events or log records of a span: `type` is that of the span, `details` repeat attributes of the call. */
  events?: { type?: Readonly<Record<string, SpanType>>; details?: readonly string[] };
  /** Names of spans that repeat another. */
  ignoredSpans?: readonly string[];
  /** Names of its own that it sends in place of the model's vendor. */
  frameworks?: readonly string[];
  /** What it puts before or after a tool's name in the name of the tool's span. */
  aroundToolName?: RegExp;
  /** Exceptions with which it steers a program, by the name of their class. */
  controlFlow?: Readonly<Record<string, ControlFlow>>;
  /** The same by messages of spans and exceptions whose class says nothing. */
  controlFlowMessages?: readonly (readonly [RegExp, ControlFlow])[];
  /** A text that it tags steps of its own with. */
  ownTags?: RegExp;
  /** Attributes of which nothing is made; they are shown with their span and are not unmapped. */
  shown?: readonly string[];
  /** Other attributes that its source can send, which another convention has or a pattern of its own covers. */
  alsoSends: readonly string[];
  /** Attributes that are neither read nor shown, with the reason. */
  unread: Readonly<Record<string, string>>;
};
