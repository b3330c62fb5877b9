/** UCUM units of stored values (research: contract §2.1). The unit is in the type, so metres cannot be stored as kilometres. */
export type Unit = keyof typeof conversions;

/** Units that can become `U`, itself included. */
export type UnitFor<U extends Unit> = Extract<keyof (typeof conversions)[U], string>;

/** Every unit that a provider may speak in. */
export type ProviderUnit = { [U in Unit]: UnitFor<U> }[Unit];

/** A number with the unit in which its provider gave it. */
export interface Quantity<U extends string = ProviderUnit> {
  readonly value: number;
  readonly unit: U;
}

type Convert = (value: number) => number;
const same: Convert = (value) => value;
const times =
  (factor: number): Convert =>
  (value) =>
    value * factor;
/** Division where it is the exact way: 1234 / 1000 and not 1234 * 0.001. */
const per =
  (divisor: number): Convert =>
  (value) =>
    value / divisor;

/**
 * The one table of conversions: stored unit, then the units that it may be made from. A difference of temperatures (`K`) is not a
 * temperature (`Cel`): the one only scales, the other has another zero.
 */
const conversions = {
  '{steps}': { '{steps}': same },
  '{push}': { '{push}': same },
  '{flight}': { '{flight}': same },
  '{score}': { '{score}': same },
  m: { m: same, km: times(1000), cm: per(100), mm: per(1000), '[mi_i]': times(1609.344), '[ft_i]': times(0.3048), '[yd_i]': times(0.9144) },
  cm: { cm: same, m: times(100), mm: per(10), '[in_i]': times(2.54) },
  kcal: { kcal: same, cal: per(1000), kJ: per(4.184), J: per(4184) },
  s: { s: same, min: times(60), h: times(3600), ms: per(1000) },
  ms: { ms: same, s: times(1000) },
  '/min': { '/min': same, Hz: times(60) },
  '%': { '%': same, '1': times(100) },
  Cel: { Cel: same, '[degF]': (value: number) => (value - 32) / 1.8, K: (value: number) => value - 273.15 },
  K: { K: same, Cel: same, '[degF]': per(1.8) },
  kg: { kg: same, g: per(1000), '[lb_av]': times(0.45359237), '[stone_av]': times(6.35029318) },
  'kg/m2': { 'kg/m2': same },
  'mm[Hg]': { 'mm[Hg]': same, kPa: times(7.50061683) },
  'mg/dL': { 'mg/dL': same, 'mmol/L': times(18.0156) },
  'mL/min/kg': { 'mL/min/kg': same },
  mL: { mL: same, L: times(1000), '[foz_us]': times(29.5735295625) },
  W: { W: same, kW: times(1000) },
} as const satisfies Record<string, Record<string, Convert>>;

/** Only units of the same dimension can be given: `convert({ value: 1, unit: 'km' }, 'kg')` does not compile. */
export function convert<U extends Unit>(quantity: Quantity<UnitFor<U>>, unit: U): number {
  const from: Readonly<Record<string, Convert>> = conversions[unit];
  const conversion = from[quantity.unit];
  if (conversion === undefined) throw new TypeError(`${quantity.unit} cannot become ${unit}`);
  return conversion(quantity.value);
}

export function roundTo(value: number, decimals: number): number {
  const factor = 10 ** decimals;
  return Math.round((value + Number.EPSILON) * factor) / factor;
}

/**
 * A provider's number as it is stored: in the metric's unit, rounded to what counts as a change. Without rounding, conversion makes
 * endless changes.
 */
export function canonical<U extends Unit>(metric: { readonly unit: U; readonly decimals: number }, quantity: Quantity<UnitFor<U>>): number {
  return roundTo(convert(quantity, metric.unit), metric.decimals);
}
