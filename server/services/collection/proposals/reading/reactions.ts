import {
  type ConversationSnapshot,
  corrections,
  judgedTurns,
  phraseSets,
  type UserTurn,
} from "@/server/services/diagnostics/detectors/reading";

/** What users say about an answer that did what they wanted. */
const SAID = phraseSets({
  thanks: [
    "(thanks|thank you|thankyou|thx|ty|cheers|much appreciated|i appreciate|appreciate it|thank u)",
    "(danke|dankeschön|vielen dank|merci|gracias|obrigado|obrigada|grazie|dank je|dank u|bedankt|tack|dziękuję|teşekkürler|teşekkür ederim)",
    ...["谢谢", "感谢", "ありがとう", "감사합니다", "고마워", "спасибо"],
  ],
  works: [
    "(that|this|it) (worked|works|fixed it|solved it|did it|helps|helped|is it|is perfect|is great|is correct|is right|is helpful|is exactly)",
    "(that|this|it) (was|is) (exactly|just|precisely) what i (needed|wanted|was looking for|meant|asked for)",
    "(thats|its|this is|that is) (perfect|exactly|correct|right|great|wonderful|awesome|excellent|very helpful|really helpful|helpful|just what)",
    "(exactly|just|precisely) what i (needed|wanted|was looking for|meant|asked for)",
    "(works|working|worked) (now|perfectly|great|like a charm|fine)",
    "(problem|issue) (is|) solved",
    "(you solved|you fixed|that fixed|that solved|this fixed|this solved)",
    "(perfect|excellent|awesome|wonderful|fantastic|brilliant)",
    "(jetzt geht es|jetzt funktioniert|das hat geholfen|das war es|genau das|perfekt|hat funktioniert)",
    "(ça marche|cest parfait|parfait|exactement ce que|cest exactement|ça fonctionne)",
    "(ahora funciona|perfecto|eso es|exactamente lo que|ya funciona|perfeito|funcionou|perfetto|funziona)",
    ...["解决了", "可以了", "太好了", "完美", "解決しました", "できました", "完璧", "助かりました"],
  ],
  affirms: [
    "(yes|yeah|yep|yup|yea|sure|correct|right|exactly|absolutely|indeed|perfect)",
    "(sounds|looks) (good|great|fine|right|correct|perfect)",
    "(that|this|it) (works|is right|is correct|is fine|is perfect|sounds good|sounds great|sounds right)",
    "(thats|its) (right|correct|fine|perfect|it|good|great)",
    "(go ahead|please do)",
    "(ja|genau|richtig|stimmt|oui|exact|exactement|cest ça|sí|correcto|exacto|eso es|sim|certo|sì|esatto)",
    ...["是的", "对", "没错", "はい", "その通り", "そうです"],
  ],
  /** Ironic thanks, or thanks with a reservation. */
  reserved: [
    "(thanks|thank you|thx|appreciate) (anyway|anyways|for trying|for nothing|but|though|a lot for nothing|for your time anyway)",
    "(but|however|although|except|unfortunately|still|though|instead|actually|wrong|incorrect|not right|not correct|not quite|not what)",
    "(i guess|whatever|never mind|nevermind|forget it|if you say so|too bad|thats a shame|that is a shame|disappointed|disappointing|pity)",
    "(wait|hold on|one more thing before|are you sure|can you check|can you try|can you redo|can you fix)",
    "(change|rather|another|different|something else|other)",
    "(aber|jedoch|trotzdem|leider|mais|quand même|pero|sin embargo|de todos modos|mas|però|ma)",
    ...["但是", "不过", "还是", "でも", "けど", "しかし"],
  ],
});

/** From this score on, a turn shows dissatisfaction instead. */
const DISSATISFIED = 0.35;
/** Begins a turn that answers a question, even if thanks follow. */
const YES = /^\W*(?:(?:oh|ah|um+|well)\W+)?(?:yes|yeah|yep|yup|yea|sure|ja|oui|sí|sim|sì)(?!\p{L})|^\s*(?:是的|はい)/iu;
/** A turn that accepts asks for nothing; a courtesy such as "could you also…" is another request. */
const ASKS = /[?？]/;
/** A turn affirms only within this many leading words. */
const AFFIRMING_WORDS = 3;
/** Maximum number of words of a turn that does nothing but accept. */
const BRIEF = 45;

export type Reaction = "accepts" | "confirms" | "objects" | "goes_on";

/**
 * Returns how the user reacts to what the assistant said before their turn. `accepts`: they got what they wanted; `confirms`:
 * the assistant has understood them.
 */
export function reactionTo(conversation: ConversationSnapshot, turn: UserTurn): Reaction {
  const judged = judgedTurns(conversation).find((one) => one.turn === turn);
  const objects = judged !== undefined && judged.score >= DISSATISFIED;
  if (objects || corrections(conversation).some((one) => one.turn === turn)) return "objects";
  const found = SAID.find(turn.words);
  const said = new Set(found.map(({ set }) => set));
  if (said.has("reserved")) return "goes_on";
  const isBrief = !ASKS.test(turn.text) && turn.words.starts.length <= BRIEF;
  if ((said.has("thanks") || said.has("works")) && isBrief && !YES.test(turn.text)) return "accepts";
  return found.some(({ set, word }) => set === "affirms" && word < AFFIRMING_WORDS) ? "confirms" : "goes_on";
}
