// In TypeScript the first line of the class is @Module({ imports: [TributaryModule.forRoot({ receiver })] }).
import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { memoryRecords, memoryStore } from '@tributary/sdk';
import { TributaryModule } from '@tributary/sdk/nestjs';
import { createReceiver } from '@tributary/sdk/node';
import { keepIn } from './keep-steps.mjs';

const receiver = createReceiver({
  secrets: process.env.TRIBUTARY_WEBHOOK_SECRET ?? '',
  store: memoryStore(),
  handlers: { otherwise: keepIn(memoryRecords()) },
});

class AppModule {}
Module({ imports: [TributaryModule.forRoot({ path: 'webhooks/tributary', receiver })] })(AppModule);

const app = await NestFactory.create(AppModule, new FastifyAdapter(), { rawBody: true, logger: ['error', 'warn'] });
app.enableShutdownHooks();
await app.listen(Number(process.env.PORT ?? 3000));
console.log(`listening on ${app.getHttpServer().address().port}`);
