import { PYTHON_END, PYTHON_IMPORTS, PYTHON_PACKAGES, pythonExporter, type Where } from "./set-up";

type Client = {
  packages: string;
  /** The variable with the provider's key. */
  keyName: string;
  imports: string;
  instrumentor: string;
  /** The lines of a call, and the expression of its answer. */
  call: string;
  answer: string;
};

/** Returns a program with a model client that OpenInference instruments. */
const program = (where: Where, { packages, keyName, imports, instrumentor, call, answer }: Client) => `\
# pip install ${packages} ${PYTHON_PACKAGES}
# Save as first_trace.py, then: ${keyName}=... python first_trace.py
${imports}
from openinference.instrumentation import using_attributes
${PYTHON_IMPORTS}

${pythonExporter(where)}
${instrumentor}().instrument(tracer_provider=provider)

# Calls with the same session are one conversation.
with using_attributes(session_id="first-conversation", user_id="ann"):
${call.replace(/^/gm, "    ")}
print(${answer})

${PYTHON_END}`;

const QUESTION = `messages=[{"role": "user", "content": "Where is my order 1042?"}]`;

export const openai = (where: Where) =>
  program(where, {
    packages: "openai openinference-instrumentation-openai",
    keyName: "OPENAI_API_KEY",
    imports: "from openai import OpenAI\nfrom openinference.instrumentation.openai import OpenAIInstrumentor",
    instrumentor: "OpenAIInstrumentor",
    call: `answer = OpenAI().chat.completions.create(\n    model="gpt-4o-mini",\n    ${QUESTION},\n)`,
    answer: "answer.choices[0].message.content",
  });

export const anthropic = (where: Where) =>
  program(where, {
    packages: "anthropic openinference-instrumentation-anthropic",
    keyName: "ANTHROPIC_API_KEY",
    imports:
      "from anthropic import Anthropic\nfrom openinference.instrumentation.anthropic import AnthropicInstrumentor",
    instrumentor: "AnthropicInstrumentor",
    call: `answer = Anthropic().messages.create(\n    model="claude-haiku-4-5",\n    max_tokens=200,\n    ${QUESTION},\n)`,
    answer: "answer.content[0].text",
  });

export const langchain = (where: Where) =>
  program(where, {
    packages: "langchain-openai openinference-instrumentation-langchain",
    keyName: "OPENAI_API_KEY",
    imports:
      "from langchain_openai import ChatOpenAI\nfrom openinference.instrumentation.langchain import LangChainInstrumentor",
    instrumentor: "LangChainInstrumentor",
    call: `answer = ChatOpenAI(model="gpt-4o-mini").invoke("Where is my order 1042?")`,
    answer: "answer.content",
  });

export const litellm = (where: Where) =>
  program(where, {
    packages: "litellm openinference-instrumentation-litellm",
    keyName: "OPENAI_API_KEY",
    imports: "import litellm\nfrom openinference.instrumentation.litellm import LiteLLMInstrumentor",
    instrumentor: "LiteLLMInstrumentor",
    call: `answer = litellm.completion(\n    model="openai/gpt-4o-mini",\n    ${QUESTION},\n)`,
    answer: "answer.choices[0].message.content",
  });
