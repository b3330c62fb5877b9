import { describe, expect, it } from '@jest/globals';
import { listElements } from './json-elements.js';

const slices = (text: string) =>
  Object.fromEntries([...listElements(Buffer.from(text))].map(([key, elements]) => [key, elements.map((element) => element.toString())]));

describe('the elements of a body’s lists', () => {
  it('are the bytes that came, however they are written', () => {
    expect(slices(' {\n "a" : [ 1.0 , {"x": [1, 2]} ,\t"t" ] , "b":[] ,"c":[true,null,-1e9] }\r\n')).toEqual({
      a: ['1.0', '{"x": [1, 2]}', '"t"'],
      b: [],
      c: ['true', 'null', '-1e9'],
    });
  });

  it('are not ended by brackets, commas or escaped quotes in a text', () => {
    const tricky = ['"]},["', '"\\""', '"\\\\"', '"\\\\\\"]"', '{"\\"}":"]"}', '"🏃‍♀️ ]"', '[["]"],[]]', '""'];
    expect(slices(`{"k,]}\\"":[${tricky.join(',')}]}`)).toEqual({ 'k,]}"': tricky });
  });

  it('stand under the key that its escapes spell, and of two like keys under the last, as JSON.parse has it', () => {
    const text = '{"d\\u0061y":[1],"day":[2,3],"__proto__":[4],"n":7,"o":{"day":[9]},"s":"[1]"}';
    expect([...listElements(Buffer.from(text))].map(([key, elements]) => [key, elements.length])).toEqual([
      ['day', 2],
      ['__proto__', 1],
      ['n', 0],
      ['o', 0],
      ['s', 0],
    ]);
  });

  it('are looked for to an end also in bytes that are no JSON', () => {
    for (const text of ['', '{', '{,', '{"a"', '{"a":', '{"a":[', '{"a":[1,{"', '{"a":[}]}', '{"a":],"b":[1]}', '[1]', '\\"']) {
      let ended = 'with lists';
      try {
        listElements(Buffer.from(text));
      } catch (error) {
        ended = (error as Error).name;
      }
      expect(['with lists', 'SyntaxError']).toContain(ended);
    }
  });

  it('of an empty object are none', () => {
    expect(slices('{}')).toEqual({});
    expect(slices(' { } ')).toEqual({});
  });

  it('are those of JSON.parse for any nesting', () => {
    let seed = 7;
    const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const value = (depth: number): unknown => {
      const kind = random(depth > 3 ? 4 : 6);
      if (kind === 0) return random(1_000) - 500;
      if (kind === 1) return ['"', '\\', ']', '}', ',', 'é', '\n', ''].slice(random(8)).join('');
      if (kind === 2) return null;
      if (kind === 3) return random(2) === 0;
      const many = Array.from({ length: random(4) }, () => value(depth + 1));
      return kind === 4 ? many : Object.fromEntries(many.map((each, at) => [`k"${at}]`, each]));
    };
    for (let round = 0; round < 200; round += 1) {
      const body = { first: [value(0), value(0)], second: value(0), third: [value(1)] };
      for (const space of [0, 1]) {
        const found = listElements(Buffer.from(JSON.stringify(body, null, space)));
        for (const key of ['first', 'third'] as const)
          expect(found.get(key)?.map((element) => JSON.parse(element.toString()) as unknown)).toEqual(body[key]);
      }
    }
  });
});
