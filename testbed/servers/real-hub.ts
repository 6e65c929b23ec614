import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "@playwright/test";
import type { Trainer } from "./real-trainer";

/** Downloads a repository with the hub's own client: `REPOSITORY FOLDER`. */
const DOWNLOAD =
  "import sys; from huggingface_hub import snapshot_download; snapshot_download(sys.argv[1], local_dir=sys.argv[2])";
/** Answers one prompt using only a folder of transformers' files: `FOLDER PROMPT`. */
const ANSWER = `
import sys
from transformers import AutoModelForCausalLM, AutoTokenizer
folder, prompt = sys.argv[1:]
tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder)
given = tokenizer.apply_chat_template([{"role": "user", "content": prompt}], add_generation_prompt=True, return_tensors="pt", return_dict=True)
said = model.generate(**given, max_new_tokens=32, do_sample=False)
print(tokenizer.decode(said[0][given["input_ids"].shape[1]:], skip_special_tokens=True))
`;

/** Starts a model hub on this machine, which stores what is published. */
export async function startHub({ environments, python }: Trainer) {
  const child = spawn(environments.python, ["trainer/tests/support/fake_hub.py"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString()));
    child.once("exit", (code) => reject(new Error(`The hub ended with ${code}.`)));
  });
  const { url, token } = JSON.parse(line) as { url: string; token: string };
  return {
    url,
    token,
    /** Downloads what was published to a new folder, like anyone with the token, and returns the folder. */
    download(repository: string) {
      const folder = mkdtempSync(path.join(tmpdir(), "whetstone-e2e-download-"));
      const env = { HF_ENDPOINT: url, HF_TOKEN: token, HF_HUB_OFFLINE: "0", HF_HOME: path.join(folder, ".cache") };
      python(DOWNLOAD, [repository, folder], env);
      return folder;
    },
    /** Answers with the files of a downloaded model. */
    answerOf: (folder: string, prompt: string) => python(ANSWER, [folder, prompt]),
    /** Answers with a downloaded GGUF file, in llama.cpp. */
    async answerOfGguf(file: string, prompt: string): Promise<string> {
      const [request, result] = [`${file}.request.json`, `${file}.result.json`];
      const prompts = [{ messages: [{ role: "user", content: prompt }], answer_tokens: [] }];
      writeFileSync(request, JSON.stringify({ model: file, context_size: 128, max_tokens: 32, prompts }));
      // It ends when its standard input does, which is therefore left open.
      const answering = spawn(
        process.execPath,
        [path.join(environments.llamaCpp ?? "", "answer.mjs"), request, result],
        { stdio: ["pipe", "ignore", "inherit"] },
      );
      const [code] = await once(answering, "exit");
      expect(code).toBe(0);
      return JSON.parse(readFileSync(result, "utf8")).answers[0].content.trim();
    },
    stop: () => child.kill("SIGTERM"),
  };
}
