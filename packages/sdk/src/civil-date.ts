declare const civilDay: unique symbol;

/**
 * `YYYY-MM-DD`: a day in the person's own calendar. Text, because a `Date` is an instant and would move with the time zone: to the
 * compiler `new Date(day)` is no `Date`, so it does not become one by accident. Compares and sorts as text.
 */
export type CivilDate = string & { readonly [civilDay]: 'a day, and no instant' };

/** What `new Date(day)` gives to the compiler, of a {@link CivilDate}. For the instant of your choice: `new Date(`${day}T00:00:00Z`)`. */
export interface CivilDateIsNoInstant {
  readonly [civilDay]: 'a civil date is no instant';
}

declare global {
  interface DateConstructor {
    /** A civil date is no instant: say which one is meant. (What is `any` goes on to the overloads of the language.) */
    new <Day extends CivilDate>(day: 0 extends 1 & Day ? never : Day): CivilDateIsNoInstant;
  }
}

/** @throws RangeError when the text is no day of the calendar */
export function civilDate(text: string): CivilDate {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  const at = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  if (year === undefined || at.toISOString().slice(0, 10) !== text)
    throw new RangeError(`Not a day as YYYY-MM-DD: ${JSON.stringify(text)}`);
  return text as CivilDate;
}
