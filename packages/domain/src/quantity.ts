/** UCUM units of stored values (research: contract §2.1). The unit is in the type, so metres cannot be stored as kilometres. */
export type Unit = '{steps}' | 'm' | 'kcal' | 's' | '/min' | 'ms' | '%' | 'K' | 'kg';

export interface Quantity<U extends Unit = Unit> {
  readonly value: number;
  readonly unit: U;
}
