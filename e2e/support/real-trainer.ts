import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "@playwright/test";
import { freePort } from "../../scripts/lib/database/postgres.mjs";
import { trainerEnvironments, variablesOf } from "../../scripts/lib/trainer/environments.mjs";

const TOKEN = "the token of the real trainer";
const BUILD_TINY =
  "import sys; sys.path.insert(0, 'trainer/tests'); from pathlib import Path; from tiny import build_tiny; build_tiny(Path(sys.argv[1]))";
/** Downloads a repository of a hub with the hub's own client: `REPOSITORY FOLDER`. */
const DOWNLOAD =
  "import sys; from huggingface_hub import snapshot_download; snapshot_download(sys.argv[1], local_dir=sys.argv[2])";
/** Answers one prompt with a folder of transformers' files, with nothing else: `FOLDER PROMPT`. */
const ANSWER = `
import sys
from transformers import AutoModelForCausalLM, AutoTokenizer
folder, prompt = sys.argv[1:]
tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder)
given = tokenizer.apply_chat_template([{"role": "user", "content": prompt}], add_generation_prompt=True, return_tensors="pt", return_dict=True)
said = model.generate(**given, max_new_tokens=32, do_sample=False)
print(tokenizer.decode(said[0][given["input_ids"].shape[1]:], skip_special_tokens=True))
`;

/** Starts the trainer as `npm run trainer` does, with a tiny model, and a hub that keeps what is published. */
export async function startRealTrainer() {
  const home = mkdtempSync(path.join(tmpdir(), "whetstone-e2e-trainer-"));
  const environments = await trainerEnvironments((name) => path.join(home, `${name}.log`));
  const env = {
    ...process.env,
    ...variablesOf(environments),
    TRAINER_TOKEN: TOKEN,
    HF_HUB_OFFLINE: "1",
    OMP_NUM_THREADS: "1",
  };
  const python = (code: string, args: string[], more: Record<string, string> = {}) => {
    const ended = spawnSync(environments.python, ["-c", code, ...args], { env: { ...env, ...more }, encoding: "utf8" });
    expect(ended.status, ended.stderr).toBe(0);
    return ended.stdout.trim();
  };
  const model = path.join(home, "tiny");
  python(BUILD_TINY, [model]);
  const port = await freePort();
  const trainer = spawn(environments.python, ["-m", "whetstone_trainer", "--home", home, "--port", String(port)], {
    env,
    stdio: "ignore",
  });
  const url = `http://127.0.0.1:${port}`;
  const hub = await startHub(environments.python);
  const health = () =>
    fetch(`${url}/v1/health`).then(
      ({ status }) => status,
      () => 0,
    );
  await expect.poll(health, { timeout: 120_000 }).toBe(200);

  return {
    home,
    model,
    url,
    token: TOKEN,
    env: { TRAINER_URL: url, TRAINER_TOKEN: TOKEN, OUTBOUND_ALLOW: "127.0.0.1" },
    hub: { url: hub.url, token: hub.token },
    /** Downloads what was published to a new folder, as anybody with the token would, and returns the folder. */
    download(repository: string) {
      const folder = mkdtempSync(path.join(tmpdir(), "whetstone-e2e-download-"));
      python(DOWNLOAD, [repository, folder], {
        HF_ENDPOINT: hub.url,
        HF_TOKEN: hub.token,
        HF_HUB_OFFLINE: "0",
        HF_HOME: path.join(folder, ".cache"),
      });
      return folder;
    },
    /** Answers with the files of a downloaded model. */
    answerOf: (folder: string, prompt: string) => python(ANSWER, [folder, prompt]),
    /** Answers with a downloaded GGUF file, in llama.cpp. */
    answerOfGguf: (file: string, prompt: string) => answerOfGguf(environments.llamaCpp ?? "", file, prompt),
    stop() {
      hub.stop();
      trainer.kill("SIGTERM");
      trainer.once("exit", () => rmSync(home, { recursive: true, force: true }));
    },
  };
}

async function answerOfGguf(llamaCpp: string, file: string, prompt: string): Promise<string> {
  const [request, result] = [`${file}.request.json`, `${file}.result.json`];
  const prompts = [{ messages: [{ role: "user", content: prompt }], answer_tokens: [] }];
  writeFileSync(request, JSON.stringify({ model: file, context_size: 128, max_tokens: 32, prompts }));
  // It ends when its standard input does, which is therefore left open.
  const child = spawn(process.execPath, [path.join(llamaCpp, "answer.mjs"), request, result], {
    stdio: ["pipe", "ignore", "inherit"],
  });
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
  return JSON.parse(readFileSync(result, "utf8")).answers[0].content.trim();
}

/** A hub of models on this machine. */
async function startHub(python: string): Promise<{ url: string; token: string; stop: () => void }> {
  const child = spawn(python, ["trainer/tests/fake_hub.py"], { stdio: ["ignore", "pipe", "inherit"] });
  const line = await new Promise<string>((resolve, reject) => {
    child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString()));
    child.once("exit", (code) => reject(new Error(`The hub ended with ${code}.`)));
  });
  return { ...JSON.parse(line), stop: () => child.kill("SIGTERM") };
}
