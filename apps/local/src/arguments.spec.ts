import { describe, expect, it } from '@jest/globals';
import { readArguments } from './arguments.js';

describe('arguments of npm start', () => {
  it('are off unless asked for', () => {
    expect(readArguments([])).toEqual({ once: false, json: false, help: false });
    expect(readArguments(['--json', '--once'])).toEqual({ once: true, json: true, help: false });
  });
  it('that are unknown are named beside the usage', () => {
    expect(() => readArguments(['--one'])).toThrow(/^Unknown argument --one\.[\s\S]*--once/);
  });
});
