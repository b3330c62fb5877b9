import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { KeyRing } from '@tributary/service-shell';
import { API_CONTEXT } from './api-context.js';
import { controllers } from './api.module.js';
import { IssueTickets } from './issue-tickets.js';
import { describeApi } from './openapi/describe-api.js';

/** The controllers alone: the document is made from their metadata, no request is ever answered. */
@Module({
  controllers,
  providers: [
    { provide: API_CONTEXT, useValue: { keys: new KeyRing(`document:${Buffer.alloc(32).toString('base64')}`) } },
    { provide: IssueTickets, useValue: {} },
  ],
})
class Described {}

const file = path.join(import.meta.dirname, '../../../docs/openapi.json');
const app = await NestFactory.create(Described, new FastifyAdapter(), { logger: ['error', 'warn'] });
const text = `${JSON.stringify(describeApi(app), null, 2)}\n`;
await app.close();
if (process.argv.includes('--check')) {
  const committed = readCommitted();
  if (committed !== text) {
    console.error(
      `docs/openapi.json is not what the code says (first difference in line ${firstDifference(committed, text)}). Run: npm run openapi:write`,
    );
    process.exit(1);
  }
  console.log('docs/openapi.json is what the code says.');
} else {
  writeFileSync(file, text);
  console.log('docs/openapi.json written.');
}

function readCommitted(): string {
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
