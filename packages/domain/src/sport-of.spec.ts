import { describe, expect, it } from '@jest/globals';
import { sportOf } from './sport-of.js';
import { sportWords } from './sport-words.js';
import { environments, sports } from './sport.js';

describe('the sport map', () => {
  it.each([
    ['strava', 'TrailRun', 'running', 'trail', null],
    ['strava', 'Ride', 'cycling', null, null],
    ['garmin', 'LAP_SWIMMING', 'swimming', 'pool', 'pool'],
    ['garmin', 'PADDELBALL', 'padel', null, null],
    ['google', 'PICKELBALL', 'pickleball', null, null],
    ['whoop', 'football', 'american_football', null, null],
    ['whoop', 'Hiking/Rucking', 'hiking', null, null],
    ['whoop', 'dog-walking', 'walking', null, null],
    ['whoop', 'dog walking', 'walking', null, null],
    ['polar', 'TEAMSPORTS_AMERICAN_FOOTBALL', 'american_football', null, null],
    ['polar', 'TEAMSPORTS_FOOTBALL', 'other', null, null],
    ['withings', '308', 'cycling', 'indoor', 'indoor'],
    ['garmin', 'SOCCER', 'soccer', null, null],
    ['oura', 'cross_country_skiing', 'ski', 'nordic', null],
  ])('%s %s is %s', (provider, word, sport, subSport, environment) => {
    expect(sportOf(provider, word)).toEqual({ sport, subSport, environment });
  });

  it.each([
    ['strava', 'Quidditch'],
    ['nobody', 'Jog'],
    ['strava', ''],
    ['strava', 'constructor'],
  ])('%s %p is other, never an error', (provider, word) => {
    expect(sportOf(provider, word)).toEqual({ sport: 'other', subSport: null, environment: null });
  });

  it('gives each word of a provider to one sport, all of them in the lists', () => {
    for (const [provider, map] of Object.entries(sportWords)) {
      const words = Object.values(map).flatMap((list) => list.split(' '));
      expect([provider, new Set(words).size]).toEqual([provider, words.length]);
      for (const word of words) {
        const { sport, environment } = sportOf(provider, word);
        expect(sports).toContain(sport);
        if (environment !== null) expect(environments).toContain(environment);
      }
    }
  });
});
