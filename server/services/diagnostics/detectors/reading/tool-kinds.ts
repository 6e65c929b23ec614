/** Names of tools that only read. */
const READS =
  /^(?:[\w.-]{0,40}[_.-])?(?:get|list|find|search|fetch|read|look|lookup|retriev\w{0,3}|query|check|view|show|describe|count|calculat\w{0,2}|comput\w{0,2}|think|plan|validate|verify|browse|open|load|select|status|info|details|history|who|what|day|date|time|current|estimate|compare|recommend|suggest|summari[sz]e|classify|detect|extract|parse|translate|knowledge|faq|weather)(?:[_.A-Z-]|[a-z]{0,3}$|[a-z]{0,12}(?:[_.-]|$))/i;

/** Returns whether a tool only reads, judging by its name. */
export const isReadingTool = (name: string): boolean => READS.test(name);
