/** A message whose signature is known, of the shared vectors of Standard Webhooks and of this package. */
export interface GoldenVector {
  readonly name: string;
  /** What proves it: `whsec_…` or `whpk_…`. */
  readonly secret: string;
  readonly id: string;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  /** The exact bytes, in base64. */
  readonly bodyBase64: string;
  readonly signature: string;
  /** Whether a verifier at that time must accept it. */
  readonly valid: boolean;
}

const secretA = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const secretB = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
const first = { secret: secretA, id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1_614_265_330 };
const bodyA = 'eyJ0ZXN0IjogMjQzMjIzMjMxNH0=';
const signatureA = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';
const signatureI = 'v1,78nXHjpFP0tVJQW5D0SBwmVyyW87BV/rL6MgfM/Bw44=';
const wrong = 'v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=';

const valid = (name: string, vector: Omit<GoldenVector, 'name' | 'valid'>): GoldenVector => ({ name, ...vector, valid: true });
const invalid = (name: string, signature: string, over: Partial<GoldenVector> = {}): GoldenVector => ({
  name,
  ...first,
  bodyBase64: bodyA,
  ...over,
  signature,
  valid: false,
});

/** For a verifier of your own, in whatever language: it must accept what is valid, refuse the rest, and look at bytes alone. */
export const goldenVectors: readonly GoldenVector[] = [
  valid('A: the published vector', { ...first, bodyBase64: bodyA, signature: signatureA }),
  valid('B: a second published vector', {
    secret: secretB,
    id: 'msg_27UH4WbU6Z5A5EzD8u03UvzRbpk',
    timestamp: 1_649_367_553,
    bodyBase64: 'eyJlbWFpbCI6InRlc3RAZXhhbXBsZS5jb20iLCJ1c2VybmFtZSI6InRlc3RfdXNlciJ9',
    signature: 'v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=',
  }),
  valid('C: an Ed25519 signature', {
    ...first,
    secret: 'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=',
    bodyBase64: bodyA,
    signature: 'v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==',
  }),
  valid('D: an empty body', { ...first, bodyBase64: '', signature: 'v1,v48jdbgvh29KJz2Qc+ghw8G6vG3nAKnujWBg8oM/62A=' }),
  valid('E: accents and an emoji', {
    ...first,
    bodyBase64: 'eyJub3RlIjoiY2Fmw6kg8J+YgCJ9',
    signature: 'v1,w5iqJCY67SYFf09WbFpKFjC272BlYL+oPDkEfJ0Bzsg=',
  }),
  valid('F: bytes that are no UTF-8', {
    ...first,
    bodyBase64: '//4=',
    signature: 'v1,dnDi5GZ3Te6lvRJ+A/l7mt41DfmU9c0vC3pjxJYxUg8=',
  }),
  invalid('F, signed as the text that its bytes decode to', 'v1,DOUE1NqdN/3OEYB1xadJsMOMgZ0EpgwmyIGDiHxiqT0=', { bodyBase64: '//4=' }),
  valid('G: a byte order mark in front', {
    ...first,
    bodyBase64: '77u/eyJ0ZXN0IjogMjQzMjIzMjMxNH0=',
    signature: 'v1,rIYc6bjlDvbOpgBWfFEGWzkph/t4bozFkbYKpr4RwTc=',
  }),
  valid('H: a line feed at the end', {
    ...first,
    bodyBase64: 'eyJ0ZXN0IjogMjQzMjIzMjMxNH0K',
    signature: 'v1,FIt3hYjPQCdyuyMOw+0dZwwjGRAx1Il4CsgdFnOmrcc=',
  }),
  valid('I: a rotation, seen with the old secret', { ...first, bodyBase64: bodyA, signature: `${signatureA} ${signatureI}` }),
  valid('I: a rotation, seen with the new secret', {
    ...first,
    secret: secretB,
    bodyBase64: bodyA,
    signature: `${signatureA} ${signatureI}`,
  }),
  valid('wrong, unknown and right entries together', { ...first, bodyBase64: bodyA, signature: `${wrong} v2,AAAA ${signatureA} ${wrong}` }),
  invalid('the signature of another message', wrong),
  invalid('the signature of another secret', signatureI),
  invalid('a version without a value', 'v1,'),
  invalid('a signature that was cut short', 'v1,g0hM9SsE'),
  invalid('an unknown version alone', signatureA.replace('v1,', 'v2,')),
  invalid('a shared secret against an Ed25519 entry of the same text', signatureA.replace('v1,', 'v1a,')),
  invalid('a body with one byte more', signatureA, { bodyBase64: 'eyJ0ZXN0IjogMjQzMjIzMjMxNH0K' }),
  invalid('a timestamp one second on', signatureA, { timestamp: first.timestamp + 1 }),
];
