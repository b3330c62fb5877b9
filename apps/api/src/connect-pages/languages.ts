/** Languages that the hosted page speaks. */
export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

/** What a stored word says; English for one that is not known (any more). */
export function languageOf(word: string): Language {
  return languages.find((one) => one === word) ?? 'en';
}
