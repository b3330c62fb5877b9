import type { Language } from './languages.js';

/** What somebody reads when there is nothing to choose. */
export interface Told {
  readonly title: string;
  /** What happened. */
  readonly what: string;
  /** What to do. */
  readonly todo: string;
}

export type ToldCode =
  | 'tampered'
  | 'expired'
  | 'used'
  | 'finished'
  | 'gone'
  | 'cookies'
  | 'too_many'
  | 'not_offered'
  | 'failed'
  | 'state_invalid';

/** Kinds of records, as people call them. */
export type Kind = 'daily' | 'sleep' | 'workout' | 'measurement' | 'series';

export interface Words {
  readonly title: (tenant: string) => string;
  readonly intro: (tenant: string) => string;
  readonly services: string;
  readonly none: string;
  readonly connect: (provider: string) => string;
  readonly again: (provider: string) => string;
  readonly state: { readonly active: string; readonly ended: string };
  readonly connected: (provider: string) => string;
  readonly partly: (provider: string, kinds: string) => string;
  readonly denied: (provider: string) => string;
  readonly failed: (provider: string) => string;
  /** Why, and what to do, by the code of the problem; `other` for the rest. */
  readonly reasons: Readonly<Record<string, string>> & { readonly other: string };
  readonly back: (tenant: string) => string;
  readonly done: string;
  readonly code: string;
  readonly kinds: Readonly<Record<Kind, string>>;
  readonly told: Readonly<Record<ToldCode, Told>>;
}

const en: Words = {
  title: (tenant) => `Connect your devices to ${tenant}`,
  intro: (tenant) =>
    `${tenant} would like to read health data from the services below. At each service you choose what you share, and you can end it at any time.`,
  services: 'Services',
  none: 'There is no service to connect at the moment. Please ask whoever sent you here.',
  connect: (provider) => `Connect ${provider}`,
  again: (provider) => `Renew ${provider}`,
  state: { active: 'Connected', ended: 'Needs your consent again' },
  connected: (provider) => `${provider} is connected. Your data will arrive from now on.`,
  partly: (provider, kinds) =>
    `${provider} is connected, but not everything is shared: ${kinds} will be missing. To share it, renew the connection and tick all boxes.`,
  denied: (provider) => `You did not agree at ${provider}, so nothing was changed. You can try again whenever you like.`,
  failed: (provider) => `${provider} could not be connected, and nothing was changed.`,
  reasons: {
    provider_refused: 'The service ended the consent with an error. Please try again.',
    provider_unavailable: 'The service does not answer properly at the moment. Please try again in a few minutes.',
    subject_mismatch: 'You are connected with another account of this service. Log in there with that account, then try again.',
    not_found: 'Your account was removed in the meantime. Please ask whoever sent you here.',
    storage_unavailable: 'We have a disturbance at the moment. Please try again in a few minutes.',
    other: 'Something failed on our side. Please try again, and ask whoever sent you here if it happens again.',
  },
  back: (tenant) => `Back to ${tenant}`,
  done: 'I am done',
  code: 'Code for support',
  kinds: { daily: 'daily values', sleep: 'sleep', workout: 'workouts', measurement: 'measurements', series: 'detailed series' },
  told: {
    tampered: {
      title: 'This link is not complete',
      what: 'The address of this page was cut off or changed on its way.',
      todo: 'Open the link again from the app or message that you got it from, or ask for a new one.',
    },
    expired: {
      title: 'This link has expired',
      what: 'For your safety such links are good for a short time only.',
      todo: 'Go back to the app that sent you here and ask for a new link.',
    },
    used: {
      title: 'This link was opened elsewhere',
      what: 'It belongs to the browser in which somebody first chose a service.',
      todo: 'Go on in that browser, or ask for a new link in the app that sent you here.',
    },
    finished: {
      title: 'You are done here',
      what: 'Your choices are kept, and this link is not needed any more.',
      todo: 'You can close this page. To change something, ask for a new link in the app that sent you here.',
    },
    gone: {
      title: 'This link leads nowhere',
      what: 'What it was made for does not exist any more.',
      todo: 'Ask for a new link in the app that sent you here.',
    },
    cookies: {
      title: 'Please allow cookies',
      what: 'Your browser did not keep the one cookie that ties this page to you, so nothing was begun.',
      todo: 'Allow cookies for this address, open the link again and choose once more.',
    },
    too_many: {
      title: 'Too many tries',
      what: 'A consent was begun many times with this link.',
      todo: 'Ask for a new link in the app that sent you here.',
    },
    not_offered: {
      title: 'This service is not offered',
      what: 'It cannot be connected with this link (any more), and nothing was begun.',
      todo: 'Go back and choose another one.',
    },
    failed: {
      title: 'Something went wrong',
      what: 'It is our fault, and nothing was changed.',
      todo: 'Please try again in a few minutes. If it happens again, ask whoever sent you here.',
    },
    state_invalid: {
      title: 'Not connected',
      what: 'This consent is not known, was finished before, took longer than ten minutes, or was begun in another browser.',
      todo: 'Begin anew from the app that sent you here.',
    },
  },
};

const de: Words = {
  title: (tenant) => `Geräte mit ${tenant} verbinden`,
  intro: (tenant) =>
    `${tenant} möchte Gesundheitsdaten der folgenden Dienste lesen. Bei jedem Dienst wählen Sie, was Sie teilen, und Sie können es jederzeit beenden.`,
  services: 'Dienste',
  none: 'Im Moment gibt es keinen Dienst zu verbinden. Bitte wenden Sie sich an die Stelle, die Sie hierher geschickt hat.',
  connect: (provider) => `${provider} verbinden`,
  again: (provider) => `${provider} erneuern`,
  state: { active: 'Verbunden', ended: 'Braucht erneut Ihre Zustimmung' },
  connected: (provider) => `${provider} ist verbunden. Ihre Daten kommen ab jetzt an.`,
  partly: (provider, kinds) =>
    `${provider} ist verbunden, doch nicht alles ist freigegeben: Es fehlen ${kinds}. Um es freizugeben, erneuern Sie die Verbindung und wählen Sie alles aus.`,
  denied: (provider) =>
    `Sie haben bei ${provider} nicht zugestimmt, daher wurde nichts geändert. Sie können es jederzeit wieder versuchen.`,
  failed: (provider) => `${provider} konnte nicht verbunden werden, und nichts wurde geändert.`,
  reasons: {
    provider_refused: 'Der Dienst hat die Zustimmung mit einem Fehler beendet. Bitte versuchen Sie es noch einmal.',
    provider_unavailable: 'Der Dienst antwortet gerade nicht richtig. Bitte versuchen Sie es in ein paar Minuten noch einmal.',
    subject_mismatch:
      'Sie sind mit einem anderen Konto dieses Dienstes verbunden. Melden Sie sich dort mit jenem Konto an und versuchen Sie es noch einmal.',
    not_found: 'Ihr Konto wurde inzwischen entfernt. Bitte wenden Sie sich an die Stelle, die Sie hierher geschickt hat.',
    storage_unavailable: 'Bei uns gibt es gerade eine Störung. Bitte versuchen Sie es in ein paar Minuten noch einmal.',
    other:
      'Bei uns ist etwas schiefgegangen. Bitte versuchen Sie es noch einmal, und fragen Sie die Stelle, die Sie hierher geschickt hat, wenn es wieder geschieht.',
  },
  back: (tenant) => `Zurück zu ${tenant}`,
  done: 'Ich bin fertig',
  code: 'Code für den Support',
  kinds: { daily: 'Tageswerte', sleep: 'Schlaf', workout: 'Trainings', measurement: 'Messungen', series: 'Verläufe' },
  told: {
    tampered: {
      title: 'Dieser Link ist nicht vollständig',
      what: 'Die Adresse dieser Seite wurde unterwegs abgeschnitten oder verändert.',
      todo: 'Öffnen Sie den Link noch einmal aus der App oder Nachricht, aus der Sie ihn haben, oder lassen Sie sich einen neuen geben.',
    },
    expired: {
      title: 'Dieser Link ist abgelaufen',
      what: 'Zu Ihrer Sicherheit gelten solche Links nur kurze Zeit.',
      todo: 'Gehen Sie zurück zur App, die Sie hierher geschickt hat, und lassen Sie sich einen neuen geben.',
    },
    used: {
      title: 'Dieser Link wurde anderswo geöffnet',
      what: 'Er gehört dem Browser, in dem zuerst ein Dienst gewählt wurde.',
      todo: 'Machen Sie dort weiter, oder lassen Sie sich in der App, die Sie hierher geschickt hat, einen neuen Link geben.',
    },
    finished: {
      title: 'Hier sind Sie fertig',
      what: 'Ihre Auswahl ist gespeichert, und dieser Link wird nicht mehr gebraucht.',
      todo: 'Sie können diese Seite schließen. Um etwas zu ändern, lassen Sie sich in der App einen neuen Link geben.',
    },
    gone: {
      title: 'Dieser Link führt nirgendwohin',
      what: 'Wofür er gemacht wurde, gibt es nicht mehr.',
      todo: 'Lassen Sie sich in der App, die Sie hierher geschickt hat, einen neuen Link geben.',
    },
    cookies: {
      title: 'Bitte erlauben Sie Cookies',
      what: 'Ihr Browser hat das eine Cookie nicht behalten, das diese Seite mit Ihnen verbindet; es wurde nichts begonnen.',
      todo: 'Erlauben Sie Cookies für diese Adresse, öffnen Sie den Link erneut und wählen Sie noch einmal.',
    },
    too_many: {
      title: 'Zu viele Versuche',
      what: 'Mit diesem Link wurde schon sehr oft eine Zustimmung begonnen.',
      todo: 'Lassen Sie sich in der App, die Sie hierher geschickt hat, einen neuen Link geben.',
    },
    not_offered: {
      title: 'Dieser Dienst wird nicht angeboten',
      what: 'Er kann mit diesem Link nicht (mehr) verbunden werden; es wurde nichts begonnen.',
      todo: 'Gehen Sie zurück und wählen Sie einen anderen.',
    },
    failed: {
      title: 'Etwas ist schiefgegangen',
      what: 'Es liegt an uns, und nichts wurde geändert.',
      todo: 'Bitte versuchen Sie es in ein paar Minuten noch einmal. Geschieht es wieder, fragen Sie die Stelle, die Sie hierher geschickt hat.',
    },
    state_invalid: {
      title: 'Nicht verbunden',
      what: 'Diese Zustimmung ist nicht bekannt, schon beendet, dauerte länger als zehn Minuten oder wurde in einem anderen Browser begonnen.',
      todo: 'Beginnen Sie neu in der App, die Sie hierher geschickt hat.',
    },
  },
};

export const wordsOf: Readonly<Record<Language, Words>> = { en, de };
