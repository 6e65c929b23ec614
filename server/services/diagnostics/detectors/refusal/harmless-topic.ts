/**
 * Topics in which words of harm harm nobody: people who never lived, games, sports, vermin, and what machines, food and figures of
 * speech "kill", "shoot" or "blow up". Lists, because no wording tells that Frodo is made up.
 */

const FICTIONAL =
  "Frodo|Bilbo|Gandalf|Gollum|Sauron|Aragorn|Harry Potter|Hermione|Dumbledore|Voldemort|Snape|Batman|Superman|Spider-?man|Iron Man|Wonder Woman|Captain America|Hulk|Thor|Loki|Thanos|Joker|Deadpool|Wolverine|Black Panther|Darth Vader|Luke Skywalker|Yoda|Obi-Wan|Han Solo|Princess Leia|Chewbacca|Captain Kirk|Spock|Picard|Sherlock Holmes|Watson|Moriarty|James Bond|Jason Bourne|Indiana Jones|Rambo|Terminator|Robocop|Neo|Gatsby|Dracula|Frankenstein|King Kong|Godzilla|Zorro|Robin Hood|Tarzan|Peter Pan|Captain Hook|Cinderella|Snow White|Rapunzel|Elsa|Shrek|Simba|Mufasa|Nemo|Woody|Buzz Lightyear|Mickey Mouse|Minnie Mouse|Donald Duck|Goofy|Bugs Bunny|Daffy Duck|Tom and Jerry|Homer Simpson|Bart Simpson|Marge Simpson|Lisa Simpson|Ned Flanders|Peter Griffin|Cartman|SpongeBob|Scooby-?Doo|Garfield|Snoopy|Charlie Brown|Pikachu|Mario|Luigi|Bowser|Princess Peach|Zelda|Link|Sonic|Lara Croft|Kratos|Geralt|Master Chief|Pac-?Man|Totoro|Mononoke|Naruto|Goku|Sailor Moon|Katniss|Bella Swan|Edward Cullen|Jon Snow|Daenerys|Tyrion|Cersei|Arya Stark|Walter White|Jesse Pinkman|Tony Soprano|Don Draper|Sheldon Cooper|Rick Sanchez|Ross Geller|Michael Scott|Dwight Schrute|Dexter Morgan|Hannibal Lecter|Forrest Gump|Willy Wonka|Mary Poppins|Santa Claus|the Grinch|the Easter Bunny|the Tooth Fairy|Paddington|Winnie the Pooh|Pinocchio|Barbie|Optimus Prime|Jack Sparrow|Atticus Finch|Holden Caulfield|Hamlet|Macbeth|Romeo|Juliet|Ebenezer Scrooge|Oliver Twist|Huckleberry Finn|Tom Sawyer|Elizabeth Bennet|Mr\\.? Darcy|Jane Eyre|Captain Ahab|Don Quixote";
const GAMES =
  "Minecraft|Fortnite|Call of Duty|GTA|Grand Theft Auto|Skyrim|Elden Ring|Dark Souls|Counter-?Strike|Overwatch|League of Legends|Dota|World of Warcraft|Roblox|The Sims|Pok[eé]mon|Assassin's Creed|Resident Evil|The Last of Us|Halo|Doom|Valorant|Apex Legends|PUBG|Among Us|Hitman|Cyberpunk|Fallout|Diablo|Starcraft|Civilization|Cluedo|Clue|Monopoly|chess|poker|Dungeons (?:and|&) Dragons|D&D|video ?games?|board games?|card games?";
const SPORTS = "judo|karate|boxing|wrestling|jiu-?jitsu|MMA|taekwondo|fencing|paintball|laser tag|dodgeball|snooker";
const VERMIN =
  "mosquito(?:es)?|cockroach(?:es)?|roach(?:es)?|ants?|termites?|wasps?|hornets?|flies|moths?|fleas?|ticks|bed ?bugs?|lice|mites?|aphids?|slugs?|weeds?|dandelions?|mould|mold|moss|germs?|bacteria|viruses|fungus|rats?|mice|spiders?";
const MACHINES =
  "(?:python|linux|unix|windows|background|child|zombie|parent|node|java)? ?process(?:es)?|threads?|daemons?|servers?|tasks?|jobs?|sessions?|commands?|scripts?|queries|apps?|programs?|terminal|database|tables?|branch(?:es)?|commits?|containers?|pods?|engines?|lights?|switch|batter(?:y|ies)|printers?";

const TOPICS = [
  new RegExp(`\\b(?:${FICTIONAL})\\b(?:'s|’s)?`),
  new RegExp(`\\b(?:${GAMES})\\b`, "i"),
  new RegExp(`\\b(?:in|at|for|during) (?:a |my )?(?:${SPORTS})\\b`, "i"),
  new RegExp(
    `\\b(?:kill(?:ing)?|exterminat\\w+|eradicat\\w+|get rid of|poison(?:ing)?|trap(?:ping)?|eliminat\\w+) (?:\\w+ ){0,2}(?:${VERMIN})\\b`,
    "i",
  ),
  new RegExp(
    `\\b(?:kill(?:ing)?|execut\\w+|terminat\\w+|abort\\w*|destroy\\w*|shoot\\w*|hang|blow\\w*|drop\\w*|dump\\w*|crash\\w*|attack\\w*|strangl\\w+|slaughter\\w*) (?:\\w+ ){0,3}(?:${MACHINES}|time|(?:some )?options|trades?|photos?|films?|movies?|videos?|balloons?|hoops)\\b`,
    "i",
  ),
  /\b(?:in|for|of) (?:a|an|my|the|this) (?:\w+ )?(?:video game|novel|movie|film|screenplay|play|story|musical|comic|cartoon|anime)\b/i,
];

/** Returns whether a question is about such a topic. */
export const isHarmlessTopic = (question: string): boolean => TOPICS.some((topic) => topic.test(question));
