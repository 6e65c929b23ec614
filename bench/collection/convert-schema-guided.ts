import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";

/**
 * Converts a split of the Schema-Guided Dialogue data set (google-research-datasets/dstc8-schema-guided-dialogue, CC BY-SA 4.0) to
 * labelled conversations: `tsx bench/collection/convert-schema-guided.ts DIR > sgd.jsonl`. Service calls become tool calls.
 */
const frame = z.looseObject({
  service_call: z.object({ method: z.string(), parameters: z.record(z.string(), z.string()) }).optional(),
  service_results: z.array(z.record(z.string(), z.string())).optional(),
});
const turn = z.looseObject({ speaker: z.enum(["USER", "SYSTEM"]), utterance: z.string(), frames: z.array(frame) });
const dialogue = z.looseObject({ dialogue_id: z.string(), turns: z.array(turn) });

function messagesOf({ turns }: z.infer<typeof dialogue>) {
  let calls = 0;
  return turns.flatMap(({ speaker, utterance, frames }) => {
    if (speaker === "USER") return [{ role: "user", content: utterance }];
    const called = frames.flatMap(({ service_call: call, service_results: results = [] }) => {
      if (!call) return [];
      const id = `call_${++calls}`;
      const { method: name, parameters } = call;
      return [
        { role: "assistant", content: "", tool_calls: [{ id, name, arguments: JSON.stringify(parameters) }] },
        { role: "tool", tool_call_id: id, content: JSON.stringify(results) },
      ];
    });
    return [...called, { role: "assistant", content: utterance }];
  });
}

const directory = process.argv[2]!;
for (const file of readdirSync(directory).sort()) {
  if (!file.startsWith("dialogues_")) continue;
  const dialogues = z.array(dialogue).parse(JSON.parse(readFileSync(path.join(directory, file), "utf8")));
  for (const one of dialogues) {
    console.log(JSON.stringify({ id: `sgd-${one.dialogue_id}`, messages: messagesOf(one) }));
  }
}
