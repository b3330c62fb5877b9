import { describe, expect, it } from '@jest/globals';
import { dailyMetrics, measurementMetrics } from './metric.js';
import { canonical, convert } from './quantity.js';
import { rangeOf } from './range.js';

describe('units', () => {
  it.each([
    [convert({ value: 8368, unit: 'kJ' }, 'kcal'), 2000],
    [convert({ value: 4_184_000, unit: 'J' }, 'kcal'), 1000],
    [convert({ value: 7421, unit: 'mm' }, 'm'), 7.421],
    [convert({ value: 26, unit: '[mi_i]' }, 'm'), 41_842.944],
    [convert({ value: 74, unit: 'min' }, 's'), 4440],
    [convert({ value: 71_500, unit: 'g' }, 'kg'), 71.5],
    [convert({ value: 150, unit: '[lb_av]' }, 'kg'), 68.0388555],
    [convert({ value: 5, unit: 'mmol/L' }, 'mg/dL'), 90.078],
    [convert({ value: 1.82, unit: 'm' }, 'cm'), 182],
    [convert({ value: 0.97, unit: '1' }, '%'), 97],
    [convert({ value: 98.6, unit: '[degF]' }, 'Cel'), 37],
  ])('converts to %p', (got, expected) => {
    expect(got).toBeCloseTo(expected, 9);
  });

  it('a difference in Fahrenheit only scales, a temperature in Fahrenheit has another zero', () => {
    expect(convert({ value: 1.8, unit: '[degF]' }, 'K')).toBeCloseTo(1, 9);
    expect(convert({ value: 32, unit: '[degF]' }, 'Cel')).toBe(0);
  });

  it('a unit of another dimension does not compile, and throws where types were got round', () => {
    // @ts-expect-error kilometres are no mass
    expect(() => convert({ value: 1, unit: 'km' }, 'kg')).toThrow(TypeError);
  });

  it('the same value through two units is the same stored number', () => {
    const { total_energy } = dailyMetrics;
    expect(canonical(total_energy, { value: 8288.297, unit: 'kJ' })).toBe(canonical(total_energy, { value: 1980.95, unit: 'kcal' }));
    expect(canonical(measurementMetrics.body_weight, { value: 71_450, unit: 'g' })).toBe(71.45);
  });

  it('a fraction that was taken for a percentage is out of any possible range', () => {
    expect(rangeOf(measurementMetrics.spo2, 0.97)).toBe('impossible');
    expect(rangeOf(measurementMetrics.body_fat_percentage, 0.21)).toBe('impossible');
  });
});
