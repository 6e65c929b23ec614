/**
 * Cues that text addresses the model that reads it rather than a person. Each cue belongs to a family; cues of different
 * families close together add up, and few are enough alone. Patterns read windows of a few hundred characters in which white
 * space is a single space, are bounded, and cover the languages in which such text is most common.
 */
export type Family =
  | "override"
  | "to the model"
  | "about its task"
  | "secrecy"
  | "tool use"
  | "spoofed role"
  | "action"
  | "order"
  | "marker"
  | "urgency"
  | "prompt request"
  | "exfiltration"
  | "concealed";

/**
 * `weight` is the chance that a window with this cue alone is an injection. The pattern is tried only where a
 * hint occurs: every match contains one of the hints, in which a blank stands for white space or punctuation.
 */
export type Cue = { family: Family; weight: number; hints: readonly string[]; pattern: RegExp };

const MODEL = String.raw`(?:an? |the |any |all |every |this |your |whichever |whatever )?(?:helpful |intelligent |virtual |autonomous |automated )?(?:AIs?|A\.I\.|LLMs?|(?:large )?language models?|chat ?bots?|AI[ -](?:assistants?|agents?|models?|systems?|screeners?|reviewers?|crawlers?|readers?)|(?:virtual |digital )?assistants?|agents?|GPT[-‑ ]?[345][\w.-]{0,8}|chat ?gpt|claude|gemini|bard|copilot|llama|mistral|grok|qwen|deepseek)`;
const NO_PERSON = `(?! (?:researcher|engineer|developer|expert|enthusiast|company|startup|team|lab|student|professional|practitioner|professor|manager|director|specialist))`;
const PRIOR = `(?:previous(?:ly)?|prior|preceding|earlier|above|foregoing|former|past|original|initial|existing|current|system|developer|all|any|every|your|these|those|other)`;
const RULES = `(?:i(?:u)?nstructions?|prompts?|directions?|directives?|guidelines?|commands?|system messages?|programming)`;
const FORGET = [
  "gnore ",
  "gnoring",
  "isregard",
  "orget ",
  "orgetting",
  "verrid",
  "verrul",
  "iscard",
  "eglect",
  "ypass",
  "bandon",
  "et aside",
  "pay no ",
  "o not ",
  "on t ",
  "on’t",
  "stop ",
  "cease ",
  "o longer ",
];
const NAMES = [
  " ai ",
  " ais ",
  " a i ",
  " llm",
  "anguage model",
  "hatbot",
  "hat bot",
  "ssistant",
  "ai agent",
  " gpt",
  "chatgpt",
  "laude",
  "emini",
  "opilot",
  "lama ",
  "istral",
  " agent",
  "automated ",
];

export const CUES: readonly Cue[] = [
  // "Ignore all previous instructions" and the like
  {
    family: "override",
    weight: 0.85,
    hints: FORGET,
    pattern: new RegExp(
      String.raw`(?:ignor(?:e|ing)|disregard(?:ing)?|forget(?:ting)?|overrid(?:e|ing)|overrul(?:e|ing)|discard(?:ing)?|neglect|bypass|abandon|set aside|pay no (?:attention|heed) to|(?:do not|don['’]t|stop|cease|no longer) (?:follow(?:ing)?|obey(?:ing)?|listen(?:ing)? to|comply(?:ing)? with))\b(?: of| to)?(?: (?!i\b)[\w'’,-]{1,14}){0,4}? ${PRIOR}\b(?: [\w'’,-]{1,14}){0,4}? ?${RULES}\b`,
      "i",
    ),
  },
  {
    family: "override",
    weight: 0.8,
    hints: FORGET,
    pattern: new RegExp(
      String.raw`(?:ignore|disregard|forget)(?: about)?(?: all| any)?(?: of)?(?: the| your)? ?${RULES}(?: (?:you|that|which|given|above|before|provided|so far|from)\b|[.!,;:])|(?:ignore|disregard|forget) (?:everything|anything|all(?: of that)?|whatever|what)(?: (?:that )?(?:was|is|has been|you|came|I|we|they))?(?: \w{1,12}){0,4}? (?:above|before(?:hand)?|previously|so far|prior|earlier|told|been told|instructed)\b|(?:ignore|disregard|forget) (?:all |any )?(?:the |your )?(?:preceding|previous|prior|earlier) orders\b|(?:ignore|disregard) (?:the|all) (?:above|previous|rest of (?:this|the) \w{2,12}) (?:and|but|instead)\b`,
      "i",
    ),
  },
  {
    family: "override",
    weight: 0.72,
    hints: FORGET,
    pattern:
      /(?:ignore|disregard|forget|abandon|override|suspend|bypass) (?:all |any )?(?:of )?(?:your|the (?:system|safety|content|previous|original|summari[sz]ation|translation)|(?:all )?(?:previous|prior)) (?:\w{1,12} ){0,2}(?:rules|training|guardrails|restrictions|safety (?:measures|protocols)|polic(?:y|ies)|constraints|context|persona|role|tasks?|objectives?|goals?)\b/i,
  },
  {
    family: "override",
    weight: 0.5,
    hints: [
      "nstruction",
      "irective",
      "prompt",
      "objective",
      "your new ",
      "your real ",
      "your actual ",
      "your true ",
      "your only ",
      "from now ",
      "this point ",
      "ew task",
      "ew orders",
    ],
    pattern:
      /\b(?:new|updated|revised|real|actual|true|correct) (?:system |task |user )?(?:instructions?|directives?|prompt|objective|orders?)\s?(?:[:=(]|are (?:as follows|to)|is (?:as follows|to)|(?:has|have) been (?:issued|added))|\b(?:the )?new task(?: for (?:you|the (?:model|assistant|ai|agent)))? ?(?::|is\b)|\byour (?:new|real|actual|true|only) (?:task|goal|job|role|objective|instructions?|mission|purpose) (?:is|are)\b|\b(?:these|those|here|this|following) (?:are|is) your (?:new |only |real )?(?:instructions?|task|orders?|directives?)|\bfrom (?:now|this point) on,? (?:you (?:are|will|must|should|have)|your|respond|answer|act)\b/i,
  },
  {
    family: "override",
    weight: 0.58,
    hints: ["above", "before", "so far", "nstruction", "prompt", "nstead of "],
    pattern:
      /\b(?:(?:previous|prior|earlier|original|above|initial) (?:system )?(?:instructions?|prompts?|directives?|guidelines|rules)|(?:instructions?|prompt|task|request|rules|text) (?:above|before|so far|you were given|given earlier|that came before))\b.{0,40}\b(?:is|are|was|were|has been|have been)\b.{0,20}\b(?:void|invalid|obsolete|outdated|cancel\w*|fake|wrong|a test|superseded|no longer|replaced|overridden|suspended|revoked|deprecated)\b|\bsupersedes? (?:all|any|your|the) (?:prior|previous|other|earlier|existing) (?:instructions?|directives?|prompts?|rules)|\binstead of (?:doing |performing |completing |answering |following )?(?:that|the (?:above|task|user['’]?s?|original)|what (?:you were|the user))\b/i,
  },
  {
    family: "override",
    weight: 0.85,
    hints: [
      "gnorier",
      "ergiss",
      "ergessen",
      "issachte",
      "gnorez",
      "gnores",
      "gnore ",
      "ublie",
      "tenez pas",
      "tiens pas",
      "gnora",
      "lvid",
      "escarta",
      "aso omiso",
      "imentica",
      "squeç",
      "esconsider",
      "rascura",
      "egeer",
      "ergeet",
      "gnoruj",
      "apomnij",
      "talimat",
      "komut",
      "yönerge",
      "baikan",
      "upakan",
      "bỏ qua",
    ],
    pattern:
      /(?:ignorier(?:e|en sie|t)?|vergiss|vergessen sie|missachte)\b.{0,40}\b(?:anweisungen|instruktionen|vorgaben|befehle|regeln|prompt)|(?:ignore[zs]?|oublie[zs]?|ne (?:tenez|tiens) pas compte)\b.{0,40}\b(?:consignes|directives|instructions (?:précédentes|antérieures|ci-dessus|initiales|reçues|données)|ordres|règles)\b|(?:ignor[ae]n?|olvid[ae]n?|descart[ae]|haz caso omiso|no hagas caso)\b.{0,40}\b(?:instrucciones|indicaciones|órdenes|reglas|instruções|orientações|regras|ordens|istruzioni|indicazioni|regole)|(?:ignora|dimentica|esqueça|desconsidere|trascura)\b.{0,40}\b(?:istruzioni|indicazioni|regole|instruções|orientações|comandos)|(?:negeer|vergeet)\b.{0,30}\b(?:instructies|aanwijzingen|opdrachten|regels)|(?:zignoruj|zapomnij)\b.{0,40}(?:instrukcj|poleceni|polecen)|(?:önceki|yukarıdaki|tüm).{0,30}(?:talimat|komut|yönerge).{0,20}(?:yok ?say|görmezden|unut)|(?:abaikan|lupakan)\b.{0,30}\b(?:instruksi|perintah|petunjuk)|bỏ qua.{0,30}(?:hướng dẫn|chỉ dẫn|lệnh)/i,
  },
  {
    family: "override",
    weight: 0.85,
    hints: [
      "гнорируй",
      "абудь",
      "обращай",
      "指令",
      "指示",
      "提示",
      "说明",
      "說明",
      "规则",
      "規則",
      "命令",
      "プロンプト",
      "ルール",
      "지시",
      "명령",
      "지침",
      "프롬프트",
      "규칙",
      "تجاهل",
      "التعليمات",
      "निर्देश",
      "आदेश",
      "คำสั่ง",
      "คำแนะนำ",
    ],
    pattern:
      /(?:игнорируй(?:те)?|проигнорируй(?:те)?|забудь(?:те)?|не обращай(?:те)? внимания на).{0,40}(?:инструкци|указани|команд|правил)|(?:忽略|忽視|忽视|无视|無視|忘记|忘記|不要理会|不要遵守).{0,16}(?:指令|指示|提示|说明|說明|规则|規則|要求|命令)|(?:指示|命令|指令|プロンプト|ルール|説明).{0,14}(?:無視|忘れ|従わな)|(?:지시|명령|지침|프롬프트|규칙).{0,14}(?:무시|잊)|(?:تجاهل|انس).{0,30}(?:التعليمات|الأوامر|تعليمات|الإرشادات)|(?:निर्देश|आदेश).{0,24}(?:अनदेखा|नज़रअंदाज|भूल|उपेक्षा)|(?:ละเว้น|เพิกเฉย|ไม่ต้องสนใจ).{0,24}(?:คำสั่ง|คำแนะนำ)/i,
  },
  {
    family: "override",
    weight: 0.72,
    hints: ["you are now ", "ou re now ", "ou’re now ", "no longer ", "without "],
    pattern:
      /\byou(?:['’]re| are) now\b.{0,60}\b(?:without|no|free (?:of|from)|not bound by|unbound by) (?:any |all )?(?:\w{1,12} ){0,2}(?:restrictions?|limits?|limitations?|filters?|rules|guidelines|constraints|censorship)\b|\byou are no longer (?:an? |the |bound|restricted|required|limited)/i,
  },
  // Addresses the model
  {
    family: "to the model",
    weight: 0.55,
    hints: NAMES,
    pattern: new RegExp(
      String.raw`\b(?:(?:dear|hello|hi|hey|attention|listen(?: up)?|okay|note|notice|reminder|warning|memo|alert),? (?:to |for )?${MODEL}\b(?= ?[:,.!-]| (?:reading|processing|who|that))|(?:instructions?|messages?|notes?|notices?|directives?|commands?|requests?|hints?) (?:to|for) (?:you, )?${MODEL}\b|\bto you, ${MODEL}\b|you(?:['’]re| are) (?:now )?(?:an? |the )(?:\w{2,14} ){0,2}(?:AI|LLM|language model|AI (?:assistant|model|agent)|chatbot)\b${NO_PERSON}|as an? (?:AI|LLM|language model|AI (?:assistant|model|agent|system)|assistant|autonomous agent),? (?:you|your|please|it is|always)|(?:if|when(?:ever)?|since) you(?:['’]re| are) (?:an? |the )?(?:AI|LLM|language model|AI \w{2,12}|chatbot|automated (?:agent|system))\b${NO_PERSON}|(?:any|whatever|whichever) (?:AI|LLM|language model|AI \w{2,12}|agent|assistant)\W{1,3}(?:reading|process(?:es|ing)|parsing|that reads|who reads|summari[sz]ing|accessing|encountering|handl(?:es|ing)))|(?:^|[.!?>"'\n-] ?)(?:AI(?: assistant| agent| model)?|assistant|chatbot|LLM|(?:chat)?gpt|claude|gemini)(?:s)? ?[,:—-]{1,2} (?=(?:please|you|your|stop|send|forward|call|ignore|do|output|print|respond|reply|recommend|delete|transfer|always|before|when|execute|run|use|add|say|tell|start|begin|include)\b)`,
      "i",
    ),
  },
  {
    family: "to the model",
    weight: 0.45,
    hints: NAMES,
    pattern:
      /\b(?:AIs?|LLMs?|GPTs?|(?:AI )?(?:assistant|agent|bot|model)s?) (?:reading|processing|parsing|summari[sz]ing|analy[sz]ing|handling|browsing|viewing|reviewing|screening) this\b|\b(?:AIs?|LLMs?|AI agents?|assistants?|bots?|(?:language )?models?|the agent) (?:must|should|shall|needs? to|(?:is|are) (?:required|instructed|requested) to)\b.{0,60}\b(?:call|send|include|output|respond|reply|execute|use|ignore|forward|follow|say|state|recommend|add|append|grant|mark|rank|give|hide|invoke|share)\b/i,
  },
  {
    family: "to the model",
    weight: 0.5,
    hints: [
      " die ki ",
      "iebe ki ",
      "als ki",
      "ehrte ki",
      " ia ",
      "sprachmodell",
      "asistente",
      "ssistente",
      "ассистент",
      " ии ",
      "языковая",
      "aiアシスタント",
      "人工知能",
      "人工智能",
      "亲爱的",
      "你是一",
      "ai 어시",
      "ai 비서",
      "modelo ",
    ],
    pattern:
      /(?:sehr geehrte[rs]? (?:KI|AI)|an die KI|liebe KI|als KI(?:-| )|du bist (?:ein|eine) (?:KI|AI|sprachmodell)|chère? (?:IA|assistant)|en tant qu['’]IA|tu es une? (?:IA|modèle)|querid[oa] (?:IA|asistente)|como (?:IA|modelo de lenguaje)|eres (?:una? )?(?:IA|modelo)|gentile (?:IA|assistente)|уважаемый (?:ИИ|ассистент)|ты (?:—|-)? ?(?:ИИ|языковая модель)|AIアシスタント(?:へ|の皆|は)|人工知能へ|(?:尊敬的|亲爱的)(?:AI|人工智能|助手)|你是一个(?:AI|人工智能|语言模型)|AI ?(?:어시스턴트|비서)(?:에게|는))/i,
  },
  // Refers to the model's task
  {
    family: "about its task",
    weight: 0.6,
    hints: [
      "before you ",
      "efore going ",
      "efore doing ",
      "rior to ",
      "gave you",
      "asked you",
      "after you ",
      "once you ",
      "when you ",
      "efore answer",
      "efore complet",
      "after that ",
      "originally",
      "sked originally",
    ],
    pattern:
      /\bbefore you (?:can |may |do |will )?(?:\w{1,10} )?(?:(?:solve|complete|finish|continue|proceed|answer|respond|reply|perform|carry on|go on|move on)\b.{0,60}\b(?:task|request|question|user|instruction|summary)|(?:start|begin|help|assist|summari[sz]e|translate)\b.{0,30}\b(?:the|my|this|your) (?:\w{1,10} )?(?:task|request|question|user|e-?mail|text|document|page))\b|\b(?:before|prior to) (?:answering|completing|finishing|continuing|doing|solving|going on with) (?:the |my |this |that |your |any |what )?(?:\w{1,12} )?(?:task|request|question|anything|user|I (?:asked|gave))|\b(?:task|request|question|instructions?|job) (?:that |which )?(?:I|we|the user|your user) (?:gave|asked|assigned|sent)\b(?: you)?|\b(?:return|go back|get back|resume) to (?:what|the (?:task|request|thing)) (?:I|the user|you were)|\b(?:after|once|when) you (?:do|have done|did|complete[d]?|finish(?:ed)?) (?:that|this|so|it)\b.{0,30}\byou (?:can|may|should) (?:then )?(?:solve|continue|proceed|return|resume|go back|complete|answer)/i,
  },
  {
    family: "about its task",
    weight: 0.5,
    hints: [
      "ummari",
      "rocessing ",
      "rocesses ",
      "rocess th",
      "nalysing ",
      "nalyzing ",
      "nalyses ",
      "nalyzes ",
      "nalyze th",
      "nalyse th",
      "ranslat",
      "answer",
      "respond",
      "reply",
      "reading ",
      "retriev",
      "valuat",
      "rading",
      "creening",
      "anking",
      "asked about",
    ],
    pattern:
      /\b(?:when|while|before|after|if|once|whenever|upon) (?:you(?:['’]re| are)? )?(?:summari[sz](?:e|es|ing)|process(?:es|ing)?|analy[sz](?:e|es|ing)|translat(?:e|es|ing)|answer(?:s|ing)?|respond(?:s|ing)?|reply(?:ing)?|reading|read(?:s)?|retriev(?:e|es|ing)|evaluat(?:e|es|ing)|grad(?:e|es|ing)|screen(?:s|ing)?|rank(?:s|ing)?|asked about|using)\b (?:to |with |on |of )?(?:this|the|any|these|user|your|about|\w{2,14})\b.{0,60}\b(?:you (?:must|should|need|have to|will|are)|always|please|include|add|append|recommend|say|output|call|send|instead|end your|start your)\b/i,
  },
  {
    family: "about its task",
    weight: 0.5,
    hints: [
      "r answer",
      "y answer",
      "h answer",
      "l answer",
      "ll answers",
      "final answer",
      "r respon",
      "y respon",
      "h respon",
      "l respon",
      "e respon",
      "espond ",
      "t respon",
      "r repl",
      "y repl",
      "reply with",
      "eply ",
      "answer with",
      "answer only",
      "nswer just",
      "nswer solely",
      "nswer to ",
      "r summar",
      "y summar",
      "r output",
      "y output",
      "l output",
      "o the user",
    ],
    pattern:
      /\b(?:include|append|add|insert|mention|state|say|end|begin|start|write|put|place|embed|display|render|repeat|print|output|modify|enhance|translate|encode|rewrite|format|provide|convert|reverse)\b(?: .{0,60})?(?: (?:in|to|into|at|with(?:in)?))?(?: the (?:end|start|beginning|top|bottom) of)? (?:your|every|each|all your|all) (?:final |next |subsequent |following |entire |future )?(?:answers?|responses?|repl(?:y|ies)|summar(?:y|ies)|outputs?|messages? to the user)\b|\byour (?:final |next |entire |whole |only )?(?:answer|response|reply|output|summary)s? (?:must|should|shall|has to|needs to|will) (?:only |always |also |then )?(?:be|include|contain|consist|start|begin|end|say|state|read)|\b(?:respond|reply|answer)(?: to (?:the user|every\w*|all|any)(?: \w{1,12}){0,2})? (?:only |solely |just |always |exclusively )?with\b(?: only| just)? ["'“‘`]|\bin your (?:final |next )?(?:answer|response|reply|summary|output|message)\b/i,
  },
  {
    family: "about its task",
    weight: 0.45,
    hints: ["e user", "r user", "d user"],
    pattern:
      /\b(?:the|your|this) (?:current |end )?user(?:['’]{1,2}s)? (?:has |have |had )?(?:already |also |previously |explicitly |fully )?(?:authori[sz]ed|approved|consented|agreed|confirmed|permitted|granted|wants? you|asked you|needs? you|would like you|expects? you|instructed|requested that you|is subscribed|original|initial|real|actual|private|personal|saved|stored|latest|recent|scheduled|full|inbox|contacts?|calendar|conversation|chat|session|password|credentials|data|messages|history|address|api|credit|payment|bank|transactions?|favou?rite|card)\b|\b(?:ask|tell|convince|persuade|instruct|trick|get) the user (?:for|to|that|into)\b|\b(?:regardless of|no matter) (?:what|how|which) (?:the user|you(?:r user)?|is|was|they)\b/i,
  },
  {
    family: "about its task",
    weight: 0.45,
    hints: ["o not ", "on t ", "stop ", "nstead of ", "ather than ", "orget about ", "lways "],
    pattern:
      /\b(?:do not|don['’]t|stop|instead of|rather than|forget about|no need to) (?:the )?(?:summari[sz]|translat|answer(?!ing machine)|analy[sz]|classif|process|perform|complet|continu|sentiment)\w*(?: (?:this|the|it|that|with|any|your)\b|[.,])|\balways (?:end|begin|start|say|recommend|state|mention|choose|prefer|answer|respond|reply|reply with|output|return|rate|rank|select|include|append|render|claim|tell)\b/i,
  },
  // Asks to keep something from the user
  {
    family: "secrecy",
    weight: 0.55,
    hints: [
      "o not ",
      "on t ",
      "on’t ",
      "ever ",
      "ithout ",
      "void ",
      "ust not ",
      "efrain",
      "ilently",
      "ecretly",
      "overtly",
      "uietly",
      "ackground",
      "hide ",
    ],
    pattern:
      /\b(?:do not|don['’]t|never|without|avoid|must not|refrain from|not)\b(?: \w{1,10}){0,2}? (?:mention(?:ing)?|tell(?:ing)?|inform(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|notify(?:ing)?|alert(?:ing)?|warn(?:ing)?|show(?:ing)?|ask(?:ing)?|report(?:ing)?|acknowledg(?:e|ing))\b(?: \w{1,12}){0,5}? (?:the user|your user|to the user|users?|this (?:instruction|message|prompt|note|request|action|step|text)|these instructions|(?:that )?you (?:did|have|received|are doing|were))\b|\b(?:silently|secretly|covertly|quietly|in the background),? (?:send|forward|call|execute|run|upload|post|copy|email|delete|transfer|include)|\bhid(?:e|ing) (?:\w{1,12} ){1,5}?from (?:the )?users?\b/i,
  },
  // Names the model's tools
  {
    family: "tool use",
    weight: 0.42,
    hints: [" use ", "call ", "nvoke ", " run ", "xecute ", "rigger ", "ith the following "],
    pattern:
      /\b(?:use|call|invoke|run|execute|trigger) (?:the |your |a )?(?:tool |function )?(?:["'`“]?[a-z]+(?:_[a-z0-9]+)+["'`”]?|["'`“][\w.-]{2,40}["'`”] (?:tool|function|api))(?: (?:tool|function|api|command|action))?(?: with| to|\(|,|\.|$| on| and| using| for)|\b(?:use|call|invoke|run|execute) (?:the |your )(?:\w{2,14} ){0,3}(?:tools?|function|plugin)\b.{0,40}\b(?:to|with|and)\b|\bwith the following (?:arguments|parameters|args|inputs?)\b/i,
  },
  // Pretends to be another speaker
  {
    family: "spoofed role",
    weight: 0.62,
    hints: [
      "<|im",
      "<|sy",
      "<|us",
      "<|as",
      "<|en",
      "<|st",
      "<|eo",
      "<<sys",
      "[inst",
      "[/inst",
      "system_prompt",
      "<start_of",
      "[syst",
      "[admi",
      "[deve",
      "[sys",
      "<syst",
      "</syst",
      "<assi",
      "</assi",
      "<admi",
      "</admi",
      "<deve",
      "<user",
      "</user",
      "<huma",
      "</huma",
      "# syst",
      "# inst",
      "# new inst",
      "# admi",
      "system over",
      "system mess",
      "system prom",
      "system comm",
      "system noti",
      "system inst",
      "system aler",
      "system mode",
      "system note",
      "system dire",
      "system upda",
      "admin ",
      "developer ",
      "root ",
      "sudo ",
    ],
    pattern:
      /<\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|eot_id)\|?>?|<<SYS>>|\[\/?INST\]|\[\/?SYSTEM_PROMPT\]|<start_of_turn>|\[(?:[Ss]ystem|SYSTEM|[Aa]dmin|ADMIN|[Dd]eveloper|sys|SYS)(?: ?[-:]? ?(?:[Mm]essage|[Pp]rompt|[Oo]verride|[Nn]ote|[Nn]otice|[Ii]nstructions?|[Cc]ommand|[A-Z]{4,12}))?[^\]\n]{0,20}\](?!\()|<\/?(?:system|assistant|admin|developer|user|human)(?:[_ -]?(?:prompt|message|instructions?|note|override|command|notice|reminder))?>|#{1,4} ?(?:[Ss]ystem|SYSTEM|New [Ii]nstructions?|NEW INSTRUCTIONS?|[Aa]dmin|ADMIN)(?: (?:prompt|message|override|update|PROMPT|MESSAGE|OVERRIDE|UPDATE)){0,2} ?(?::|(?<=MESSAGE|PROMPT|OVERRIDE|UPDATE|INSTRUCTIONS?|message|prompt|override))|\b(?:SYSTEM|ADMIN|DEVELOPER|ROOT|SUDO) (?:OVERRIDE|MESSAGE|PROMPT|COMMAND|NOTICE|INSTRUCTION|ALERT|MODE|NOTE|DIRECTIVE|UPDATE)S?\b/,
  },
  {
    family: "spoofed role",
    weight: 0.45,
    hints: [
      "<info",
      "<impo",
      "<inst",
      "<urge",
      "<prio",
      "<hidd",
      "<secr",
      "<over",
      "<dire",
      "<comm",
      "<ai>",
      "<llm",
      "<agen",
      "<task",
      "<note",
      "<end",
      "</tool",
      "</func",
      "</cont",
      "</untr",
      "</data",
      "</docu",
      "system ",
      "ssistant ",
      "eveloper ",
      "dmin ",
      "dministrator ",
      "human ",
      "user ",
      "end of ",
      "egin of ",
      "eginning of ",
      "tart of ",
    ],
    pattern:
      /<(?:information|info|important|instructions?|urgent|priority|hidden|secret|override|directive|command|ai|llm|agent|task|note[_ -]?to[_ -]?\w{2,12}|end[_ -]of[_ -]\w{2,14})>(?=.{0,300}\b(?:you|your|please|send|call|ignore|must|do not)\b)|<\/(?:(?:tool|function)[_ -]?(?:result|output|response)s?|context|untrusted\w{0,12}|data|document|user_(?:data|input))> ?(?=.{0,40}(?:<|you|ignore|system|new))|(?:^|[\n"'.] ?)(?:System|Assistant|Developer|Admin(?:istrator)?|Human|User|AI) ?(?:message|note|notice|prompt|instruction)?(?: from [\w ]{2,24})?: ?(?=[A-Za-z]).{0,200}\b(?:you|your|ignore|send|must|should|now|sure|yes)\b|\b(?:end|begin(?:ning)?|start) of (?:the )?(?:document|tool (?:output|result)|context|user (?:input|data|query)|untrusted (?:content|text)|system prompt|(?:new |hidden |secret |special )?instructions)\b/i,
  },
  {
    family: "spoofed role",
    weight: 0.42,
    hints: [
      "this is ",
      "i am ",
      "i m ",
      "essage from ",
      "ote from ",
      "otice from ",
      "rom your ",
      "rom me ",
      "is me ",
      "n behalf of ",
      "signed by",
    ],
    pattern:
      /\b(?:this is|it is|I am|I['’]m|(?:message|note|notice|instruction|request|word)s? from|signed,? by|on behalf of) (?:an? )?(?:(?:important |urgent |quick )?(?:message|note|instruction|request|word)s? from )?(?:me, |(?:the |your )?(?:account )?(?:owner|user)(?: of this (?:account|assistant))?(?: speaking| who|,|\.|:)|\w{2,12},? the (?:person|user) who|your (?:developers?|creators?|administrators?|owner|operator|user|boss|master|supervisor)|the (?:developers?|system administrators?|system|operator|openai|anthropic)\b|openai|anthropic|google deepmind)/i,
  },
  // Asks for the prompt
  {
    family: "prompt request",
    weight: 0.72,
    hints: [
      "ystem prompt",
      "ystem message",
      "nitial prompt",
      "nitial instr",
      "idden prompt",
      "idden instr",
      "nstruction",
      "prompt",
      "onfiguration",
      "uidelines",
      "tools you ",
    ],
    pattern:
      /\b(?:reveal|print|show|display|output|disclose|leak|expose|give me|tell me|dump|copy|write (?:out|down)|recite|echo|list|repeat|share|return)(?: \w{1,12}){0,5}? (?:your|its|the|all(?: the)?|this) (?:\w{1,12} ){0,3}?(?:system prompt|system message|initial (?:prompt|instructions?)|hidden (?:prompt|instructions?)|(?:secret|internal|original|developer|system) (?:instructions?|prompt|guidelines)|(?:above|previous|preceding|full|exact|complete) (?:system )?(?:instructions|prompt)|instructions (?:you were given|verbatim|given to you)|prompt verbatim)|\bwhat(?: is|['’]s| are| were) your (?:exact |full |original |initial |secret |hidden )*(?:system prompt|system message|initial (?:prompt|instructions)|hidden (?:prompt|instructions)|secret (?:instructions|prompt))|\b(?:print|output|reveal|dump|leak)(?: out)? (?:all |your |all your |the above |previous |prior )+(?:instructions|prompts?|directives)\b|\blist (?:every|all|the) (?:\w{1,10} )?(?:tools?|functions?) (?:that )?you (?:have|can)/i,
  },
  {
    family: "prompt request",
    weight: 0.58,
    hints: [
      "above",
      "before this",
      "preceding",
      "prior to",
      "your prompt",
      "our instructions",
      "old not to",
      "nstructions you",
      "so far",
      "nstructions given",
    ],
    pattern:
      /\b(?:repeat|print|output|write|say|copy|translate|summari[sz]e)(?: \w{1,10}){0,3} (?:everything|all|the (?:text|words|words and phrases|content|sentences?|lines?)|anything)(?: (?:that (?:is|was|came|comes)|written|from))? (?:above|before this|preceding|prior to this)|\b(?:repeat|say|show me|tell me|print|what (?:are|is|were)) (?:me )?your (?:\w{1,10} )?(?:prompt|instructions)\b|\btold not to (?:reveal|share|say|disclose|tell)\b|\b(?:tell me )?(?:what|which) instructions (?:were you|you were|have you been) (?:given|told)|\b(?:repeat|output|print) the instructions given\b/i,
  },
  // Sends everything of a kind, or private data, to an address
  {
    family: "exfiltration",
    weight: 0.55,
    hints: [
      "all messages",
      "all emails",
      "all e mails",
      "all my ",
      "all the ",
      "all of ",
      "every message",
      "entire ",
      "as much money",
      "as much as",
      "security code",
      "verification code",
      "password",
      "credential",
      "api key",
      "from all ",
      "chat history",
      "conversation",
    ],
    pattern:
      /(?<!\b(?:never|not|don['’]t|cannot) )\b(?:send|forward|e-?mail|mail|post|upload|submit|transfer|concatenate|collect|export|share|copy|leak|transmit|wire)\b(?: .{0,40}?)? (?:(?:all(?: of)?|every|the entire|the whole)(?: \w{2,12}){0,2} (?:messages?|e-?mails?|inbox|conversations?|chats?|contacts|channels?|passwords?|credentials|transactions?|money|funds|history|secrets?)|as much (?:money|of)|(?:the |any |his |her |their |my )?(?:\w{2,14} ){0,2}(?:security codes?|verification codes?|one-time (?:codes?|passwords?)|passwords?|credentials|api keys?|private keys?|chat history|conversation(?: history)?))\b[^.!?,;]{0,100}?(?:[\w.+-]{1,40}@[\w-]{1,40}\.\w|https?:\/\/|\bwww\.|\b[A-Z]{2}\d{2}[A-Z0-9]{8})/i,
  },
  // An image whose URL exfiltrates data
  {
    family: "concealed",
    weight: 0.5,
    hints: ["] http"],
    pattern:
      /!\[[^\]]{0,80}\]\(https?:\/\/[^)\s]{1,200}?[=/?](?:\{|\[|\$|<|%7B|DATA\b|data\)|QUERY|SECRET|SUMMARY|\w{1,12}=\)|[^)]{0,40}(?:\{|\[))/i,
  },
];

/** Urgency counts only in addition to other cues. */
export const URGENCY: Cue = {
  family: "urgency",
  weight: 0.25,
  hints: [],
  pattern:
    /\bIMPORTANT ?!{2,}|\b(?:IMPORTANT|ATTENTION|URGENT|CRITICAL|WARNING|NOTICE|MANDATORY|PRIORITY|STOP)\b(?: [A-Z]{2,14}){0,3} ?[:!.]|\b(?:strictly|immediately|must) (?:adhere|follow|obey|comply|execute|be (?:followed|executed|obeyed))|\b(?:highest|top|utmost|absolute) priority\b|\bit is (?:critical|imperative|mandatory|vital|crucial|very important) that you\b|\byou (?:must|have to) (?:obey|comply|follow)\b/,
};

/** A note that something remains to be done. In a tool's data, followed by an order, it is bait for an agent. */
export const MARKER = {
  hints: [
    "todo",
    "to do ",
    "action req",
    "action item",
    "action need",
    "next step",
    "next action",
    "task ",
    "required step",
  ],
  pattern:
    /(?:TO ?DO|ACTION (?:REQUIRED|ITEM|NEEDED)|NEXT (?:STEP|ACTION)|\bTASK|REQUIRED STEP) ?[:!-]{1,2} ?["'*]{0,3}$/,
};
/** A comment in code: its notes are for programmers. */
export const CODE_COMMENT = /(?:\/\/|#|\*|--|;|<!--|%) ?(?:@?\w{1,20}[ (:)]{0,3})?$/;

/** Orders that an agent can carry out and that do harm: moving money, data, access or messages, or opening a link. */
export const ORDER =
  /(?:please |kindly |now |then |and |also |first,? |do |you (?:must|should|need to|have to) |immediately |just )?(?:send|forward|(?:e-?)?mail|post|upload|submit|transfer|wire|pay|delete|remove|erase|cancel|invite|add|grant|give|share|visit|open|click|navigate|go to|browse|fetch|download|install|execute|run|create|schedule|book|reserve|make a (?:reservation|booking|payment|transfer|transaction|purchase)|buy|purchase|order|change|modify|update|set|reset|disable|enable|turn off|unlock|deactivate|activate|publish|tweet|message|text|call|concatenate|collect|gather|find|retrieve|search|copy|export|write|withdraw|deposit|replace|sign|subscribe|register|list|read|look up|get|reveal|disclose|show|output|print|append|insert|mark) /iy;

/** What an order targets: a destination to send to, or something to take. */
export const TARGET =
  /[\w.+'-]{1,64}@[\w-]{1,60}\.[\w.]{2,20}|https?:\/\/|\bwww\.|\b[\w-]{3,40}\.(?:com|net|org|io|co|xyz|ru|info|biz|site|online|app|me)\b|\b[A-Z]{2}\d{2}[A-Z0-9]{8,30}\b|\b\d{6,20}\b|[$€£]\s?\d|\b\d[\d,.]* ?(?:dollars|euros|usd|eur|btc|eth)\b|\bID ["'#]{0,3}\w{1,20}|\b(?:the|all|every|any|my|their|his|her|as much) (?:\w{2,14} ){0,3}?(?:user['’]?s?|files?|e-?mails?|messages?|accounts?|passwords?|codes?|credentials|tokens?|keys?|history|contacts|transactions?|data|database|records?|documents?|channels?|conversation|information|wallet|money|funds|access|permissions?|address book|invoices?|calendar|events?|reservations?|hotel|flight|appointments?|device|door|lock|security|tickets?|logs?|inbox|link|folder)\b/i;
/** What suffices as a target after a marker: a name, a date, a quotation. */
export const LOOSE_TARGET =
  /["'“‘]\w|\b\d{1,2}(?:st|nd|rd|th)\b|\d{4}-\d{2}-\d{2}|\b(?:[A-Z][a-z]+ ){1,4}[A-Z][a-z]+|\b(?:website|link|channel|hotel|restaurant|car|flight|event)\b/;

/** An article about attacks quotes them without making them. */
export const ARTICLE =
  /\b(?:attack(?:er|ers|s)?|prompt[ -]injections?|jailbreak\w{0,4}|adversar\w{2,6}|vulnerabilit\w{1,4}|malicious|exploit(?:s|ed|ation)?|red[ -]team\w{0,4}|OWASP|mitigat\w{2,6}|researchers?|payloads?|threat model|security (?:risk|research|issue)|defen[cs]es?|injected|hijack\w{0,4}|for example|e\.g\.|such as|Angriffe?|attaques?|ataques?)\b|攻撃|攻击/gi;
