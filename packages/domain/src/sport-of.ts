import { sportWords } from './sport-words.js';
import { type Environment, type Sport, type SportCode, type SportOf, sports } from './sport.js';

const canonicalSports = new Map<string, SportOf>(sports.map((sport) => [sport, readCode(sport)]));
const sportsByWord = new Map<string, SportOf>(
  Object.entries(sportWords).flatMap(([provider, sportsOfProvider]) =>
    Object.entries(sportsOfProvider).flatMap(([code, words]) =>
      words.split(' ').map((word) => [`${provider} ${word}`, readCode(code as SportCode)] as const),
    ),
  ),
);

/** The canonical sport of a provider's word for it. A word that is not known is `other`, never an error. */
export function sportOf(provider: string, providerSport: string): SportOf {
  const word = providerSport
    .trim()
    .toLowerCase()
    .replace(/[\s/-]+/g, '_');
  return sportsByWord.get(`${provider} ${word}`) ?? canonicalSports.get(word) ?? readCode('other');
}

function readCode(code: SportCode): SportOf {
  const [name = '', environment] = code.split('@');
  const [sport, subSport] = name.split('.');
  return { sport: sport as Sport, subSport: subSport ?? null, environment: (environment as Environment | undefined) ?? null };
}
