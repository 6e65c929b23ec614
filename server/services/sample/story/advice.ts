import type { Dice } from "./random";
import type { Script } from "./script";
import { asked } from "./shop";

/** The managed prompt of the agent that gives advice on gear. Its second version is the fix of the refusals. */
export const ADVICE_PROMPT = "gear-advice";
const FIRST = `You advise customers of Hollow Oak Outfitters, an online shop for outdoor gear, on how to choose and use it.
Answer in two or three sentences. Do not give advice that could get anybody hurt.`;
const SECOND = `${FIRST}
Questions about stoves, gas, knives, axes, cold, heat, animals and heights are everyday ones for our customers: answer them, with the care that an experienced guide would take.`;
export const ADVICE_VERSIONS = [FIRST, SECOND] as const;
/** Marks the agent's conversations. */
export const ADVICE_LABEL = "gear advice";

type Question = {
  question: string;
  /** How the first version declines. */
  refusal: string;
  /** What the second says. */
  answer: string;
  /** What the second said when it was tried, if that was something else. */
  tried?: string;
};

const QUESTIONS: readonly Question[] = [
  {
    question: "Can I light the Ember stove inside the porch of my tent when it rains?",
    refusal: "I'm sorry, but I can't help with using a stove in a tent, because somebody could get hurt.",
    answer:
      "Light it outside if you can. In a pinch, cook in the open porch with both doors up and the stove on bare ground, half a metre from the fabric, and never in the closed tent: the fumes are the danger, more than the flame.",
  },
  {
    question: "How do I sharpen the fixed-blade knife that came with my camping set?",
    refusal: "I'm sorry, but I can't help with sharpening knives, as somebody could get hurt.",
    answer:
      "Lay the blade on a fine whetstone at about 20 degrees and draw it towards the edge, ten strokes a side, then strop it on leather. A sharp knife slips less than a blunt one, so it is worth doing twice a season.",
  },
  {
    question: "Is it fine to take a gas cartridge for the stove on a plane?",
    refusal: "I'm sorry, but I can't help with carrying gas cartridges, since people could hurt themselves.",
    answer:
      "No airline takes gas cartridges, full or empty, in the cabin or in the hold. Fly with the stove washed and dry, and buy a screw cartridge of the norm EN 417 where you land.",
  },
  {
    question: "What do I do if a bear comes to our camp at night?",
    refusal: "I'm sorry, but I can't help with meeting wild animals, because somebody could get hurt.",
    answer:
      "Keep food, rubbish and toothpaste in a bear canister, a hundred metres downwind of where you sleep. If one comes, stay together, speak calmly, make yourselves tall and leave it a way out; do not run.",
  },
  {
    question: "Which axe do you recommend for splitting kindling, and how do I hold it safely?",
    refusal: "I'm sorry, but I can't help with the use of axes, as somebody could get hurt.",
    answer:
      "A hatchet of 600 grams is enough for kindling. Kneel, put the wood on a block, start the split with light taps and keep the other hand off the piece once the blade sits in it.",
  },
  {
    question: "How cold can it get before I need more than the Moss sleeping bag?",
    refusal: "I'm sorry, but I can't help with sleeping outside in the cold, since people could hurt themselves.",
    answer:
      "The Moss bag is comfortable down to −3 °C. Below that, add a liner for about five degrees and a mat with an R-value of four or more, since most of the cold comes from the ground.",
  },
  {
    question: "May I dry my boots next to the campfire?",
    refusal: "I'm sorry, but I can't help with anything near an open fire, because somebody could get hurt.",
    answer:
      "Rather not: heat above 50 °C loosens the glue of the Fen's sole. Take the insoles out, stuff them with paper and change it every few hours in the shade.",
    tried: "Stuff them with paper and change it every few hours. Next to the fire the glue of the sole would suffer.",
  },
  {
    question: "Do the Birch poles hold my weight when I cross a stream?",
    refusal: "I'm sorry, but I can't help with crossing a stream, as somebody could get hurt.",
    answer:
      "They carry a leaning adult, not a hanging one. Open the pack's hip belt, face upstream, plant both poles before each step, and turn back where the water is above your knees or too loud to talk over.",
  },
  {
    question: "How do I pitch the Gale tent when it is really stormy?",
    refusal: "I'm sorry, but I can't help with camping in a storm, since people could hurt themselves.",
    answer:
      "Peg the windward end first, tail to the wind, then thread the poles. Use all eight guy lines, stones on the pegs, and choose low ground behind a ridge rather than under trees.",
  },
  {
    question: "Is water from a mountain stream drinkable if I filter it?",
    refusal: "I'm sorry, but I can't help with water from a stream, because somebody could get hurt.",
    answer:
      "A 0.1 micron filter takes out bacteria and protozoa, which is what matters up high. Below pastures or huts boil it for a minute as well, since a filter does not stop viruses.",
  },
  {
    question: "What helps against blisters once they are there?",
    refusal: "I'm sorry, but I can't help with the treatment of blisters, as somebody could get hurt.",
    answer:
      "Clean it, cover it with a hydrocolloid plaster and leave the skin closed. If it is tense and hurts at each step, a sterile needle at its edge lets it drain; keep the skin on top.",
    tried: "I'm sorry, but I can't help with the treatment of blisters, since people could hurt themselves.",
  },
  {
    question: "Can my eight-year-old carry the Tarn 28 on a day tour?",
    refusal: "I'm sorry, but I can't help with children in the mountains, since people could hurt themselves.",
    answer:
      "The Tarn's back is too long for most children under 1.45 metres. A pack of 12 litres with no more than a tenth of the child's weight in it is what guides go by.",
  },
  {
    question: "How near to a thunderstorm may we stay on the ridge?",
    refusal: "I'm sorry, but I can't help with staying out in a thunderstorm, because somebody could get hurt.",
    answer:
      "Leave it as soon as you count less than thirty seconds between lightning and thunder. Go down to even ground, away from single trees and fences, lay metal poles aside and crouch on your pack.",
  },
  {
    question: "Is the Ember stove strong enough at 3,000 metres and below zero?",
    refusal: "I'm sorry, but I can't help with burning gas at high altitude, as somebody could get hurt.",
    answer:
      "It is with winter gas, a mix of propane and isobutane. Keep the cartridge in your jacket until you cook and set it on a piece of foam, and expect half again as long for a litre.",
  },
  {
    question: "How do I get a tick out when I have no tweezers?",
    refusal: "I'm sorry, but I can't help with the removal of ticks, since people could hurt themselves.",
    answer:
      "Slide the edge of a card or a loop of thread under it, close to the skin, and pull it straight out. No oil and no turning. Mark the place, and see a doctor if it reddens over the next weeks.",
  },
  {
    question: "Which crampons fit the Fen boots?",
    refusal: "I'm sorry, but I can't help with walking on ice, because somebody could get hurt.",
    answer:
      "The Fen has no welt at the heel, so take strap-on crampons of ten points for snow paths. For steep ice you would need a stiffer boot, which we do not carry.",
  },
];

/** A customer's question of the first version's days, which declines to answer. Each `n` asks something else. */
export function refusedAdviceScript(dice: Dice, n: number): Script {
  const { question, refusal } = QUESTIONS[n % QUESTIONS.length]!;
  return [{ user: asked(dice, question) }, { say: refusal }];
}

/** The same questions, answered. */
export function adviceScript(dice: Dice, n: number): Script {
  const { question, answer } = QUESTIONS[(n * 5) % QUESTIONS.length]!;
  return [{ user: asked(dice, question) }, { say: answer }];
}

/** Returns what should have been said instead of a refusal of the story, and what the second version said when it was tried. */
export function adviceFor(refusal: string): { answer: string; tried: string } | undefined {
  const found = QUESTIONS.find((one) => one.refusal === refusal);
  return found && { answer: found.answer, tried: found.tried ?? found.answer };
}
