import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { KeyRing } from '@tributary/service-shell';
import { problemsDocument } from './answers/problem-pages.js';
import { API_CONTEXT } from './api-context.js';
import { controllers } from './api.module.js';
import { KnownKeys } from './auth/known-keys.js';
import { IssueTickets } from './issue-tickets.js';
import { describeApi } from './openapi/describe-api.js';

/** The controllers alone: the document is made from their metadata, no request is ever answered. */
@Module({
  controllers,
  providers: [
    { provide: API_CONTEXT, useValue: { keys: new KeyRing(`document:${Buffer.alloc(32).toString('base64')}`) } },
    { provide: IssueTickets, useValue: {} },
    KnownKeys,
  ],
})
class Described {}

const docs = path.join(import.meta.dirname, '../../../docs');
const app = await NestFactory.create(Described, new FastifyAdapter(), { logger: ['error', 'warn'] });
const documents = {
  'openapi.json': `${JSON.stringify(describeApi(app), null, 2)}\n`,
  'problems.md': problemsDocument(),
};
await app.close();
for (const [name, text] of Object.entries(documents)) {
  if (process.argv.includes('--check')) check(name, text);
  else {
    writeFileSync(path.join(docs, name), text);
    console.log(`docs/${name} written.`);
  }
}

function check(name: string, text: string): void {
  const committed = readCommitted(path.join(docs, name));
  if (committed === text) {
    console.log(`docs/${name} is what the code says.`);
    return;
  }
  console.error(
    `docs/${name} is not what the code says (first difference in line ${firstDifference(committed, text)}). Run: npm run openapi:write`,
  );
  process.exitCode = 1;
}

function readCommitted(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function firstDifference(a: string, b: string): number {
  const [left, right] = [a.split('\n'), b.split('\n')];
  return left.findIndex((line, at) => line !== right[at]) + 1 || left.length;
}
